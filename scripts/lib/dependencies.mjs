// Installs the dependencies exactly as the lockfile says.
import { basename, join } from 'node:path';
import { root } from './checkout.mjs';
import { runVisibly } from './run-visibly.mjs';

/**
 * Throws one sentence, with the end of what npm said, when that fails.
 * @param {(line: string) => void} onProgress
 */
export async function installDependencies(onProgress) {
  onProgress('installing the dependencies with npm ci: about 500 MB on disk');
  const [program, ...before] = npm();
  // No dependency needs its install script, and tests and build need the development ones whatever NODE_ENV says.
  const args = [...before, 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    await runVisibly(program, args, {
      label: 'installing the dependencies',
      watch: join(root, 'node_modules'),
      cwd: root,
      env: process.env,
      limitMs: 30 * 60_000,
      onProgress,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${why}\nnpm could not install the dependencies: check the network and npm's registry setting, then run \`npm run setup\``,
    );
  }
}

/**
 * The npm that runs us, else the one on PATH.
 * @returns {[string, ...string[]]}
 */
function npm() {
  const running = process.env.npm_execpath;
  return running !== undefined && /^npm-cli\.c?js$/.test(basename(running)) ? [process.execPath, running] : ['npm'];
}
