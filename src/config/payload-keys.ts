import { Secret } from '../domain/secret.js';
import { ConfigError } from './config-error.js';
import { readPrivateFile } from './private-file.js';

const SETTING = 'temporal.keys';
const FILE_BYTES_MAX = 65_536;
const KEY_BYTES = 32;
/** 32 bytes in base64 end with `=`: a key that stands where its id belongs is none. */
const LINE = /^([A-Za-z0-9._-]{1,40})[ \t]+(\S+)$/;
const HOW = 'an id, a blank and 32 bytes in base64 (`openssl rand -base64 32`)';

/**
 * The keys that encrypt what a shared Temporal holds, in base64 by their ids and in the order of the file, one a line;
 * blank lines and those with `#` are comments. Throws `ConfigError` (`B56`) that never shows what was read.
 */
export async function readPayloadKeys(file: string): Promise<ReadonlyMap<string, Secret>> {
  const text = await readPrivateFile(file, SETTING, FILE_BYTES_MAX, refuse);
  const keys = new Map<string, Secret>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const where = `line ${at + 1} of the file of ${SETTING}`;
    const [, id, key] = LINE.exec(line.trim()) ?? [];
    if (id === undefined || key === undefined) return refuse(`${where} is no key: a line is ${HOW}`);
    const bytes = Buffer.from(key, 'base64');
    if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== key) {
      return refuse(`${where} has no key of 32 bytes: a line is ${HOW}`);
    }
    if (keys.has(id)) return refuse(`${where} has the id of an earlier line: give each key an id of its own`);
    keys.set(id, new Secret(key));
  }
  if (keys.size === 0) return refuse(`the file of ${SETTING} has no key: a line is ${HOW}`);
  return keys;
}

function refuse(message: string): never {
  throw new ConfigError([{ code: 'B56', message }]);
}
