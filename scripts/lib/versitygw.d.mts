import type { ChildProcess } from 'node:child_process';

export declare const VERSITYGW: string;
export declare const INSTALL_VERSITYGW: string;
export declare function versitygwPath(): string | undefined;
export declare function startVersitygw(options: {
  program: string;
  root: string;
  port: number;
  bucket: string;
  keyId: string;
  secret: string;
}): Promise<ChildProcess>;
export declare function freePort(): Promise<number>;
