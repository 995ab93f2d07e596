import type { Readable } from 'node:stream';
import { UserError } from './user-error.js';

/** Everything that comes on standard input, as text; throws when it is more than `bytesMax`. */
export async function readAll(stdin: Readable, bytesMax: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin) {
    const piece = Buffer.from(part as Uint8Array | string);
    bytes += piece.length;
    if (bytes > bytesMax) throw new UserError(`standard input is longer than ${bytesMax} bytes`);
    parts.push(piece);
  }
  return Buffer.concat(parts).toString('utf8');
}
