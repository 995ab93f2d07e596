// After a test run that failed: `run-again.mjs REPORT`. When nothing failed but processes that died, of a crash of Node
// or of native code, runs their files once more and adds what these came to to the report. Ends with 0 when all passed.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const path = process.argv[2] ?? '';
process.exitCode = isMended() ? 0 : 1;

function isMended() {
  const first = readTally();
  if (first === undefined || first.failed + first.otherErrors > 0 || first.died.length === 0) return false;
  console.error(`Once more, because their process died: ${first.died.join(', ')}`);
  writeFileSync(path, '');
  const env = { ...process.env, CALLSHEET_TEST_REPORT: path };
  const { status } = spawnSync('npx', ['vitest', 'run', ...first.died], { stdio: 'inherit', env });
  const second = readTally() ?? { passed: 0, failed: 0, died: first.died, otherErrors: 0 };
  writeFileSync(path, JSON.stringify({ ...second, passed: first.passed + second.passed }));
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
