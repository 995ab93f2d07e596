// Puts the compiled command line and the engine's worker into few files: most of what a start takes is loading modules.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'vite';
import { sdkInBundle, threadName, workflowThread } from './bundle-sdk.mjs';
import { root } from './checkout.mjs';

const compiled = join(root, 'dist', 'src');
const outDir = join(root, 'dist', 'cli');
/** Packages with files that they load later, and those that few commands load; all others are put inside. */
const OUTSIDE = /^@aws-sdk\/|^(mediabunny|pino)$/;
/** Packages that are quick to load. */
const SMALL = [
  'zod',
  'commander',
  'picocolors',
  'csv-stringify',
  'env-paths',
  'fastest-levenshtein',
  'jsonc-parser',
  'cli-table3',
  '@temporalio/envconfig',
];
/** The commands that must answer at once. */
const QUICK = ['status.js', 'list.js'].map((name) => join(compiled, 'cli', 'commands', name));

/** @typedef {{ files: string[], later: string[], packages: string[] }} Imports */

/** Writes dist/cli: its main.js is the program, its worker.js the engine's worker. */
export async function bundleCli() {
  const main = join(compiled, 'cli', 'main.js');
  const start = reachable([main], false);
  // The worker shares some of what the program starts with, and must not run it.
  start.delete(main);
  const quick = reachable(QUICK, true);
  await build({
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [
      { name: 'own-place', enforce: 'pre', transform: ownPlace },
      { name: 'sdk', enforce: 'pre', transform: sdkInBundle },
    ],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      // A worker that runs meanwhile misses none of them: all of its own it has loaded at its start.
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: { main, worker: join(compiled, 'worker', 'main.js'), [threadName]: workflowThread },
        external: OUTSIDE,
        checks: { ineffectiveDynamicImport: false },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          codeSplitting: {
            groups: [
              // Else all that `quick` holds would be loaded with each workflow thread.
              { name: 'profile', test: /node_modules.@temporalio.envconfig/, priority: 3 },
              { name: 'start', test: (id) => start.has(id), priority: 2 },
              { name: 'quick', test: (id) => quick.has(id) || /node_modules.zod/.test(id), priority: 1 },
            ],
          },
        },
      },
    },
  });
}

/**
 * A module that asks where it lies is told where it was compiled to.
 * @param {string} code
 * @param {string} id
 */
function ownPlace(code, id) {
  if (!/^(dist|scripts)[/\\]/.test(relative(root, id)) || !code.includes('import.meta.url')) return undefined;
  const place = `new URL(${JSON.stringify(relative(outDir, id))}, import.meta.url).href`;
  return { code: code.replaceAll('import.meta.url', place), map: null };
}

/**
 * The modules that some lead to, `isLater` by imports that are made later too; with them none that needs a package
 * of its own.
 * @param {string[]} from
 * @param {boolean} isLater
 */
function reachable(from, isLater) {
  const found = new Set();
  const left = [...from];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (found.has(file) || !isLight(file)) continue;
    found.add(file);
    const { files, later } = importsOf(file);
    left.push(...files, ...(isLater ? later : []));
  }
  return found;
}

/** @type {Map<string, boolean>} */
const light = new Map();

/**
 * Whether all that is loaded with a module is quick to load.
 * @param {string} file
 * @returns {boolean}
 */
function isLight(file) {
  const known = light.get(file);
  if (known !== undefined) return known;
  light.set(file, true);
  const { files, packages } = importsOf(file);
  const isLoaded =
    packages.every((name) => SMALL.some((one) => name === one || name.startsWith(`${one}/`))) && files.every(isLight);
  light.set(file, isLoaded);
  return isLoaded;
}

/**
 * @param {string} file
 * @returns {Imports}
 */
function importsOf(file) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  /** @param {RegExp} pattern */
  const all = (pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name);
  /** @param {string} name */
  const isFile = (name) => name.startsWith('.');
  /** @param {string} name */
  const toPath = (name) => resolve(dirname(file), name);
  const static_ = all(/^(?:import|export)\s+(?:[\w*{}\s,$]+\sfrom\s+)?['"]([^'"]+)['"];$/gm);
  return {
    files: static_.filter(isFile).map(toPath),
    later: all(/\bimport\(['"]([^'"]+)['"]\)/g)
      .filter(isFile)
      .map(toPath),
    packages: static_.filter((name) => !isFile(name) && !/^(node:|#scripts\/)/.test(name)),
  };
}
