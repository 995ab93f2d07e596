// Everything that must be right before a change is shared: types, lint, dead code, tests. Stops before the tests when
// one of the quick ones fails. `--no-tests` leaves the tests out.
import { spawnSync } from 'node:child_process';
import { root } from './lib/checkout.mjs';

/** @type {[name: string, script: string][]} */
const quick = [
  ['types', 'typecheck'],
  ['lint', 'lint'],
  ['dead code', 'dead-code'],
];

/** @type {{ name: string, passed: boolean, seconds: number }[]} */
const results = [];

/**
 * @param {string} name
 * @param {string[]} args
 */
function run(name, args) {
  const startedAt = Date.now();
  process.stderr.write(`== ${name}\n`);
  const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit' });
  results.push({ name, passed: status === 0, seconds: (Date.now() - startedAt) / 1_000 });
}

for (const [name, script] of quick) run(name, ['run', '--silent', script]);
const mayTest = results.every((one) => one.passed) && !process.argv.includes('--no-tests');
if (mayTest) run('tests', ['test', '--silent']);

process.stderr.write('\n');
for (const { name, passed, seconds } of results) {
  process.stderr.write(`${passed ? 'passed' : 'FAILED'}  ${name} (${seconds.toFixed(1)} s)\n`);
}
const failed = results.filter((one) => !one.passed).map((one) => one.name);
if (failed.length > 0) {
  const rest = mayTest || process.argv.includes('--no-tests') ? '' : '; the tests did not run';
  process.stderr.write(`check failed: ${failed.join(', ')}${rest}\n`);
  process.exitCode = 1;
}
