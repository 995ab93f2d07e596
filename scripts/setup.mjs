// Makes a checkout ready: Node, dependencies, build, Temporal program. Runs before `npm test` and `npm run demo`.
import { hasDependencies, hasSources, isBuilt, markDependencies, root } from './lib/checkout.mjs';
import { withLock } from './lib/lock.mjs';
import { installDependencies } from './lib/dependencies.mjs';
import { compareVersions } from './lib/temporal-cli.mjs';
import { join } from 'node:path';

const oldestNode = '20.19.0';

/** @param {string} line */
const tell = (line) => process.stderr.write(`${line}\n`);

async function setUp() {
  if (compareVersions(process.versions.node, oldestNode) < 0) {
    throw new Error(`callsheet needs Node ${oldestNode} or newer, this is ${process.versions.node}: install it and try again`);
  }
  if (hasSources()) await prepareCheckout();
  const { ensureTemporalCli } = await import('./lib/temporal-install.mjs');
  const { serverVersion, source } = await ensureTemporalCli(process.env, tell);
  tell(`callsheet is ready: Node ${process.versions.node}, Temporal server ${serverVersion} (${source})`);
}

/** Of two set-ups of one checkout one works; the other waits and finds everything done. */
async function prepareCheckout() {
  if (hasDependencies() && isBuilt()) return;
  /** @param {number} holder */
  const onWait = (holder) => tell(`waiting for another set-up of this folder (process ${holder})`);
  await withLock(join(root, '.callsheet', 'setup.lock'), prepare, { onWait });
}

async function prepare() {
  if (!hasDependencies()) {
    await installDependencies(tell);
    markDependencies();
  }
  if (!isBuilt()) {
    tell('building callsheet');
    const { build } = await import('./build.mjs');
    await build();
  }
}

try {
  await setUp();
} catch (error) {
  tell(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
