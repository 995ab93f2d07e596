// Builds dist: the compiled sources, the programs in few files, the workflow bundle, the dashboard's page, the emulator's clips and the build's own id.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildHash, filesBelow, isBuilt, markBuilt, root, sourceHash, writeWhole } from './lib/checkout.mjs';
import { withLock } from './lib/lock.mjs';

const dist = join(root, 'dist');

/** Builds under a lock: a second build at the same time waits and finds its work done. */
export async function build() {
  await withLock(join(root, '.callsheet', 'build.lock'), async () => {
    if (isBuilt()) return;
    const hash = sourceHash();
    mkdirSync(dist, { recursive: true });
    compile();
    dropLeftovers();
    cpSync(join(root, 'emulator', 'media', 'fixtures'), join(dist, 'emulator', 'media', 'fixtures'), {
      recursive: true,
    });
    await bundlePrograms();
    await bundleWorkflows();
    await buildPage();
    writeWhole(join(dist, 'build-id'), buildHash());
    markBuilt(hash);
  });
}

function compile() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  // Nothing is written when a file has an error: the last good build stays whole.
  const options = ['-p', join(root, 'tsconfig.json'), '--noEmitOnError', '--pretty', 'false'];
  try {
    execFileSync(process.execPath, [tsc, ...options], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout).trim() : String(error);
    throw new Error(`the sources do not compile: correct these and run the command again\n${output}`);
  }
}

/** Removes what an earlier build made from a source that is gone. */
function dropLeftovers() {
  for (const file of filesBelow(dist)) {
    const source = /^(.+?)(\.d\.ts|\.js|\.js\.map)$/.exec(relative(dist, file))?.[1];
    if (source === undefined || source.startsWith('workflow-bundle') || source.startsWith('cli/')) continue;
    if (!existsSync(join(root, `${source}.ts`))) rmSync(file, { force: true });
  }
}

async function bundlePrograms() {
  const { bundleCli } = await import('./lib/bundle-cli.mjs');
  await bundleCli();
}

async function bundleWorkflows() {
  const workflowsPath = join(dist, 'workflows', 'index.js');
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  // Nothing is preloaded for all workflows: in the soak, a worker that had died then took 10 to 30 s for each task.
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: quietLogger() });
  writeWhole(join(dist, 'workflow-bundle.js'), code);
  // For workers with keys: workflows encode the messages of their own failures.
  const failureConverterPath = join(dist, 'src', 'contract', 'failure-converter.js');
  const encrypting = await bundleWorkflowCode({ workflowsPath, failureConverterPath, logger: quietLogger() });
  writeWhole(join(dist, 'workflow-bundle-encrypting.js'), encrypting.code);
}

/** The dashboard's page, as the browser gets it. */
async function buildPage() {
  const { build: bundle } = await import('vite');
  await bundle({
    root: join(root, 'src', 'dashboard', 'page'),
    configFile: false,
    envDir: false,
    base: './',
    logLevel: 'warn',
    build: {
      outDir: join(dist, 'page'),
      emptyOutDir: true,
      assetsDir: '',
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { entryFileNames: 'page.js', assetFileNames: 'page.[ext]' } },
    },
  });
}

/** The bundler's own messages only matter when they say that something is wrong. */
function quietLogger() {
  const silent = () => undefined;
  /** @param {string} message */
  const speak = (message) => process.stderr.write(`${message}\n`);
  /**
   * @param {string} level
   * @param {string} message
   */
  const log = (level, message) => (level === 'WARN' || level === 'ERROR' ? speak(message) : undefined);
  return { log, trace: silent, debug: silent, info: silent, warn: speak, error: speak };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await build();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
