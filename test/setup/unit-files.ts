import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of other projects. */
const OTHERS = ['workflows', 'replay', 'e2e', 'e2e-cli', 'situations'];
/** Those start what lives as long as their process, or look at it. */
const ALONE = ['browser', 'engine', 'setup', 'sim', 'temporal'];
/** What changes its process for whoever comes after it, or measures it. */
const OWN_PROCESS =
  /\bvi\.(mock|doMock|hoisted|spyOn|useFakeTimers|stubGlobal|stubEnv)\(|\bprocess\.(env\.\w+ = |(umask|memoryUsage)\()/;

/**
 * The unit tests that may run one after the other in the same process, which loads what they share once: half of their
 * time otherwise. The others have a process each.
 */
export function unitFiles(): { together: string[]; alone: string[] } {
  const found = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts') && !OTHERS.includes(folderOf(path)));
  const isAlone = (path: string) =>
    ALONE.includes(folderOf(path)) || OWN_PROCESS.test(readFileSync(join('test', path), 'utf8'));
  const files = (of: string[]) => of.map((path) => `test/${path}`);
  return { together: files(found.filter((path) => !isAlone(path))), alone: files(found.filter(isAlone)) };
}

function folderOf(path: string): string {
  return path.split('/')[0] ?? '';
}
