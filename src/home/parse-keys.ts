import type { AttemptRef } from '../domain/attempt.js';

/** What the keys of a home say, read back: the other half of `home-keys`. */

const ATTEMPT_NAME = /^(\d{4,})\.(\d{3,})\.json$/;
const NAME = /^(.+)\.(\d{4,})(?:\.(later|gone))?\.json$/;

/** `0003.001.json` → attempt 3, record 1. */
export function parseAttemptName(name: string): { n: number; seq: number } | undefined {
  const match = ATTEMPT_NAME.exec(name);
  return match ? { n: Number(match[1]), seq: Number(match[2]) } : undefined;
}

/** `<folder>/<batch>/<id>.0003.json` → its attempt; `folder` is that of the open attempts or of the watches. */
export function parseIndexKey(folder: string, key: string): AttemptRef | undefined {
  const found = parseName(key.slice(folder.length + 1));
  return found?.beside === '' ? found.ref : undefined;
}

/** `<book>/<bucket>/<batch>/<id>.0003[.later|.gone].json` → what the entry is about. */
export function parseBookKey(folder: string, key: string) {
  const [bucket = '', ...name] = key.slice(folder.length + 1).split('/');
  const found = parseName(name.join('/'));
  return found && { ...found, bucketMs: Number(bucket) };
}

function parseName(text: string): { ref: AttemptRef; beside: '' | 'later' | 'gone' } | undefined {
  const [batch, name, ...rest] = text.split('/');
  const [, id, n, beside] = NAME.exec(name ?? '') ?? [];
  if (batch === undefined || id === undefined || rest.length > 0) return undefined;
  return { ref: { batch, id, n: Number(n) }, beside: beside === 'later' || beside === 'gone' ? beside : '' };
}
