import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What this build of callsheet says of itself. */

export { productVersion } from '../package-root.js';

/** By this an engine knows clients of its own build; sources that run unbuilt have none. */
export function buildId(): string {
  const path = fileURLToPath(new URL('../../build-id', import.meta.url));
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : 'unbuilt';
}
