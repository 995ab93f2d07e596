export type TemporalCliSource = 'CALLSHEET_TEMPORAL_CLI' | 'PATH' | 'cache';
export interface FoundTemporalCli {
  path: string;
  source: TemporalCliSource;
  serverVersion: string;
}
/** Nothing usable; one sentence for each program that was looked at and not taken. */
export interface NoTemporalCli {
  rejected: string[];
}
export const pinnedVersion: string;
export const oldestServer: string;
/** Looks at `CALLSHEET_TEMPORAL_CLI`, then `temporal` on PATH, then callsheet's cache folder. Never installs. */
export function findTemporalCli(env: NodeJS.ProcessEnv): FoundTemporalCli | NoTemporalCli;
/** The folder that one version of the program is kept in, shared by all checkouts of the user. */
export function temporalCacheFolder(env: NodeJS.ProcessEnv): string;
/** An environment for programs that are not ours: keys, and what signs webhooks, are nothing for them. */
export function environmentForOthers(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
export function serverVersionOf(path: string): string | undefined;
export function compareVersions(a: string, b: string): number;
