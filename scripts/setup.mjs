// Makes a checkout ready: Node, dependencies, build, Temporal program. Runs before `npm test` and `npm run demo`.

import { join } from 'node:path';
import { hasDependencies, hasSources, isBuilt, markDependencies, root } from './lib/checkout.mjs';
import { installDependencies } from './lib/dependencies.mjs';
import { withLock } from './lib/lock.mjs';
import { compareVersions } from './lib/temporal-cli.mjs';
import { ensureTemporalCli } from './lib/temporal-install.mjs';

const oldestNode = '20.19.0';

let last = '';

/**
 * On a terminal the next line of the same work replaces the last one.
 * @param {string} line
 */
function tell(line) {
  const isNext = process.stderr.isTTY && last !== '' && line.split(':')[0] === last.split(':')[0];
  process.stderr.write(`${isNext ? '\x1b[1A\x1b[2K' : ''}${line}\n`);
  last = line;
}

async function setUp() {
  if (compareVersions(process.versions.node, oldestNode) < 0) {
    throw new Error(
      `callsheet needs Node ${oldestNode} or newer, this is ${process.versions.node}: install it and try again`,
    );
  }
  if (hasSources()) await prepareCheckout();
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
