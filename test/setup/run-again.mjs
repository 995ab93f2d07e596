// After a test run that failed: `run-again.mjs REPORT`. A shared machine can starve a test of its processor, and native
// code can crash a process: the files that failed run once more, one after the other, and what fails then is broken.
// What they came to takes the place of the first in the report. Ends with 0 when all passed.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** More than so many files do not fail by the machine. */
const FILES_MAX = 12;
const path = process.argv[2] ?? '';
process.exitCode = isMended() ? 0 : 1;

function isMended() {
  const first = readTally();
  if (first === undefined || first.otherErrors > 0) return false;
  const again = Object.keys(first.files).filter((file) => (first.files[file]?.failed ?? 0) > 0);
  if (again.length === 0 || again.length > FILES_MAX) return false;
  console.error(`Once more, one after the other, because they failed:\n${again.join('\n')}`);
  writeFileSync(path, '');
  const env = { ...process.env, CALLSHEET_TEST_REPORT: path };
  const { status } = spawnSync('npx', ['vitest', 'run', '--no-file-parallelism', ...again], { stdio: 'inherit', env });
  const second = readTally() ?? { files: {}, otherErrors: 0 };
  const files = { ...first.files, ...second.files };
  writeFileSync(path, JSON.stringify({ files, otherErrors: second.otherErrors }));
  return status === 0;
}

/**
 * Undefined when the run did not come to its end.
 * @returns {import('./run-report.js').RunTally | undefined}
 */
function readTally() {
  const text = readFileSync(path, 'utf8');
  return text === '' ? undefined : JSON.parse(text);
}
