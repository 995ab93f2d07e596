import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What this build of callsheet says of itself. */

/** The version in package.json. */
export function productVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** By this an engine knows clients of its own build; sources that run unbuilt have none. */
export function buildId(): string {
  const path = fileURLToPath(new URL('../build-id', import.meta.url));
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : 'unbuilt';
}
