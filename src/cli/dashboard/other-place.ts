import { open } from 'node:fs/promises';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isAllAddresses, type OtherPlace } from '../../dashboard/places.js';
import { EXIT } from '../exit-codes.js';
import { UserError } from '../user-error.js';

/** `--listen` and what goes with it. */
export interface ListenFlags {
  listen?: string;
  secretFile?: string;
  host?: string[];
}

const SECRET_MIN = 32;
const SECRET_BYTES_MAX = 4096;
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;

/** Where else the page is to be served, with the secret that opens it; undefined for 127.0.0.1 alone. */
export async function otherPlace(
  flags: ListenFlags,
  cwd: string,
): Promise<(OtherPlace & { secret: string }) | undefined> {
  const { listen: address, secretFile, host: names = [] } = flags;
  if (address === undefined) {
    if (secretFile === undefined && names.length === 0) return undefined;
    throw new UserError(`${secretFile === undefined ? '--host' : '--secret-file'} goes with --listen ADDRESS`);
  }
  if (isIP(address) === 0) {
    throw new UserError(`--listen must be an IP address of this machine, got '${address.slice(0, 80)}'`);
  }
  for (const name of names) {
    if (!HOST.test(name))
      throw new UserError(`--host must be a name such as films.example.com, got '${name.slice(0, 80)}'`);
  }
  if (isAllAddresses(address) && names.length === 0) {
    throw new UserError(`--listen ${address} stands for every address: name by --host what browsers open`);
  }
  if (secretFile === undefined) {
    throw new UserError('--listen opens the page to other machines: name by --secret-file the file of a secret');
  }
  return { address, names, secret: await readSecret(resolve(cwd, secretFile)) };
}

async function readSecret(file: string): Promise<string> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return refuse(`the file of --secret-file cannot be read (${code})`);
  });
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) return refuse('--secret-file must name a file');
    // Windows has no such bits; its files are private to the user by their folder.
    if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0) {
      return refuse('the file of --secret-file can be read or changed by other users of this machine: chmod 600 it');
    }
    if (facts.size > SECRET_BYTES_MAX) return refuse('the file of --secret-file is too large to be a secret');
    // Editors end a file with a line break, and a person who types the secret adds none.
    const secret = (await handle.readFile('utf8')).replace(/\r?\n$/, '');
    if (/[\s\p{Cc}]/u.test(secret)) return refuse('the secret of --secret-file must be one line without blanks');
    if (secret.length >= SECRET_MIN) return secret;
    return refuse(
      `the secret of --secret-file has less than ${SECRET_MIN} characters: openssl rand -base64 32 makes one`,
    );
  } finally {
    await handle.close();
  }
}

function refuse(message: string): never {
  throw new UserError(message, EXIT.configuration);
}
