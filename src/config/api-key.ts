import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkKeyForm, Secret } from '../domain/secret.js';
import { ConfigError } from './config-error.js';
import { readPrivateFile } from './private-file.js';

/** The key of the account, and the file it came from, which an engine reads again when it changes. */
export interface ApiKey {
  secret: Secret;
  /** Absolute path, when it came from one that can be read again. */
  file?: string;
  /** For people: `CALLSHEET_API_KEY`, `--api-key-file`, `standard input`. */
  origin: string;
}

interface KeySources {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** `--api-key-file`; `-` is standard input. */
  keyFile?: string;
  readStdin: () => Promise<string>;
}

const KEY_BYTES_MAX = 4096;

/** Reads the API key; throws `ConfigError` (`B49`) that never says what was read. */
export async function readApiKey(sources: KeySources): Promise<ApiKey> {
  const { keyFile } = sources;
  if (keyFile === undefined) {
    return { secret: checked(sources.env.CALLSHEET_API_KEY, 'CALLSHEET_API_KEY'), origin: 'CALLSHEET_API_KEY' };
  }
  if (keyFile === '-') {
    const text = withoutLastBreak(await sources.readStdin());
    return { secret: checked(text, 'standard input'), origin: 'standard input' };
  }
  const file = resolve(sources.cwd, keyFile);
  const text = await readPrivateFile(file, '--api-key-file', KEY_BYTES_MAX, refuse);
  const secret = checked(withoutLastBreak(text), `the file of --api-key-file`);
  return { secret, origin: '--api-key-file', ...(isReadOnce(keyFile, sources.cwd) ? {} : { file }) };
}

/** Names of what a process has open: to another one they are nothing, or something of its own. */
const OWN_FILES = /^\/(dev\/(fd|stdin)|proc)\b/;

/**
 * Whether what `--api-key-file` names can be read once, or by this process alone: standard input, or a pipe as that of
 * `<(pass show key)`.
 */
export function isReadOnce(keyFile: string, cwd: string): boolean {
  if (keyFile === '-' || OWN_FILES.test(resolve(cwd, keyFile))) return true;
  try {
    return !statSync(resolve(cwd, keyFile)).isFile();
  } catch {
    // It is refused where it is read.
    return false;
  }
}

/** Where the key would come from, without reading it. */
export function keyOrigin(env: NodeJS.ProcessEnv, keyFile: string | undefined): string | undefined {
  if (keyFile !== undefined) return keyFile === '-' ? 'standard input' : '--api-key-file';
  return (env.CALLSHEET_API_KEY ?? '') === '' ? undefined : 'environment CALLSHEET_API_KEY';
}

function checked(text: string | undefined, origin: string): Secret {
  const problem = checkKeyForm(text);
  if (text !== undefined && problem === undefined) return new Secret(text);
  if (problem === 'missing') {
    return refuse(
      origin === 'CALLSHEET_API_KEY'
        ? 'API key missing: set CALLSHEET_API_KEY or give --api-key-file FILE'
        : `API key missing: ${origin} is empty`,
    );
  }
  return refuse(
    `API key has the wrong form in ${origin}: it starts with sk-svc- and has no quotes, blanks or line breaks`,
  );
}

/** Editors end a file with a line break; it is no part of the key. */
function withoutLastBreak(text: string): string {
  return text.replace(/\r?\n$/, '');
}

function refuse(message: string): never {
  throw new ConfigError([{ code: 'B49', message }]);
}
