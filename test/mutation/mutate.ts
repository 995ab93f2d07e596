// The mutation check: takes away one branch at a time in a copy of the checkout, runs the test that must notice, and says
// which branches nobody would miss. `npm run mutate -- --only F7,T1,39-51`, `--write FILE` keeps the table.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { transformSync } from 'esbuild';
import { sourceFolders } from '../../scripts/lib/checkout.mjs';
import { MUTATIONS, type Mutation } from './mutations.js';
import { ruleMutations } from './rules.js';

/** A mutated test may wait for what never comes. */
const RUN_MAX_MS = 240_000;
const COPIED = [
  ...sourceFolders,
  'test',
  'scripts',
  'sim',
  'bin',
  'docs',
  'examples',
  'dist',
  'package.json',
  'package-lock.json',
];
const CONFIGS = ['tsconfig.json', 'tsconfig.test.json', 'vitest.config.ts', 'biome.json', 'README.md'];
const ROOT = process.cwd();

type Verdict = 'killed' | 'killed by the time limit' | 'SURVIVED' | 'NO TEST RAN' | 'DOES NOT LOAD' | 'TEXT NOT FOUND';

const { values } = parseArgs({ options: { only: { type: 'string' }, write: { type: 'string' } } });
const only = values.only?.split(',').flatMap(numbers);
const all = [...MUTATIONS, ...ruleMutations()];
const chosen = all.filter(({ ids }) => only === undefined || ids.some((id) => only.includes(id)));
const scratch = mkdtempSync(join(tmpdir(), 'callsheet-mutation-'));
const rows: string[] = [];
let killed = 0;
try {
  for (const name of [...COPIED, ...CONFIGS]) cpSync(join(ROOT, name), join(scratch, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(scratch, 'node_modules'));
  for (const mutation of chosen) {
    const startedMs = Date.now();
    const verdict = await check(mutation);
    if (verdict.startsWith('killed')) killed += 1;
    const files = mutation.edits.map(({ file }) => `\`${file}\``).join(', ');
    const title = mutation.title === undefined ? '' : ` › ${mutation.title}`;
    rows.push(`| ${mutation.ids.join(' ')} | ${files} | \`${mutation.test}\`${title} | ${verdict} |`);
    process.stdout.write(`${rows.at(-1)} ${((Date.now() - startedMs) / 1_000).toFixed(0)} s\n`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const total = `${killed} of ${chosen.length} mutations killed`;
process.stdout.write(`${total}\n`);
if (values.write !== undefined) {
  const head = '| rule or fault | branch taken away in | test that must notice | verdict |\n| - | - | - | - |';
  writeFileSync(values.write, `# Mutation check\n\n\`npm run mutate\`: ${total}.\n\n${head}\n${rows.join('\n')}\n`);
}
if (killed < chosen.length) process.exitCode = 1;

/** `39-41` is 39, 40 and 41. */
function numbers(part: string): string[] {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(part) ?? [];
  if (from === undefined) return [part];
  return Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => String(Number(from) + at));
}

async function check(mutation: Mutation): Promise<Verdict> {
  const before = new Map<string, string>();
  try {
    for (const { file, take, give } of mutation.edits) {
      const text = readFileSync(join(scratch, file), 'utf8');
      if (text.split(take).length !== 2) return 'TEXT NOT FOUND';
      if (!before.has(file)) before.set(file, text);
      writeFileSync(
        join(scratch, file),
        text.replace(take, () => give),
      );
    }
    if (runsBundle(mutation)) await bundleIfNeeded([...before.keys()]);
    return await runTest(mutation);
  } finally {
    for (const [file, text] of before) writeFileSync(join(scratch, file), text);
    if (runsBundle(mutation)) await bundleIfNeeded([...before.keys()]);
  }
}

/** Pure tests read the sources alone. */
function runsBundle({ test }: Mutation): boolean {
  return !/^test\/(activities|books|cli|domain|manifest|reconcile|service|store|vendors)\//.test(test);
}

/** Tests with a server run the built bundle: what the workflows are made of goes into it, unchecked by the compiler. */
async function bundleIfNeeded(files: string[]): Promise<void> {
  const inside = files.filter((file) => /^(workflows|src\/(contract|domain))\//.test(file));
  for (const file of inside) {
    const { code } = transformSync(readFileSync(join(scratch, file), 'utf8'), { loader: 'ts', format: 'esm' });
    writeFileSync(join(scratch, 'dist', file.replace(/\.ts$/, '.js')), code);
  }
  if (inside.length === 0) return;
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const workflowsPath = join(scratch, 'dist', 'workflows', 'index.js');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  writeFileSync(join(scratch, 'dist', 'workflow-bundle.js'), code);
}

async function runTest({ ids, test, named }: Mutation): Promise<Verdict> {
  const report = join(scratch, 'report.json');
  rmSync(report, { force: true });
  const pattern = named ?? `\\b(${ids.join('|')})\\b`;
  const args = [
    join('node_modules', 'vitest', 'vitest.mjs'),
    'run',
    test,
    `--testNamePattern=${pattern}`,
    '--bail',
    '1',
  ];
  const child = spawn(process.execPath, [...args, '--reporter', 'json', '--outputFile', report], {
    cwd: scratch,
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, CI: 'false' },
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    // Its workers and servers too.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, RUN_MAX_MS);
  const code = await exited;
  clearTimeout(timer);
  if (isLate) return 'killed by the time limit';
  // The test program itself did not come to its end.
  if (!existsSync(report)) return 'DOES NOT LOAD';
  const { numPassedTests = 0, numFailedTests = 0 } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>;
  if (numFailedTests > 0) return 'killed';
  if (code !== 0) return 'DOES NOT LOAD';
  return numPassedTests === 0 ? 'NO TEST RAN' : 'SURVIVED';
}
