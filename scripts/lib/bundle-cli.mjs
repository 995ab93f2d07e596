// Puts the compiled command line into few files, for commands that only look: most of their time is loading modules.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'vite';
import { root } from './checkout.mjs';

const compiled = join(root, 'dist', 'src', 'cli');
const outDir = join(root, 'dist', 'cli');
/** Small packages that nearly every command loads; all others stay where npm has put them. */
const BUNDLED = [
  'zod',
  'commander',
  'picocolors',
  'csv-stringify',
  'env-paths',
  'is-safe-filename',
  'fastest-levenshtein',
  'cli-table3',
];
/** Stays a package, and is quick all the same. */
const SMALL = [...BUNDLED, '@temporalio/envconfig'];
/** What the commands load that must answer at once: bin/callsheet.js takes these from here. */
const QUICK = ['commands/status.js', 'commands/list.js'].map((name) => join(compiled, name));

/** @typedef {{ files: string[], later: string[], packages: string[] }} Imports */

/** Writes dist/cli: its main.js is the program. */
export async function bundleCli() {
  const main = join(compiled, 'main.js');
  const start = reachable([main], false);
  const quick = reachable(QUICK, true);
  await build({
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [{ name: 'own-place', enforce: 'pre', transform: ownPlace }],
    ssr: { noExternal: BUNDLED },
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: main,
        checks: { ineffectiveDynamicImport: false },
        output: {
          entryFileNames: 'main.js',
          chunkFileNames: '[name]-[hash].js',
          codeSplitting: {
            groups: [
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
  if (!id.startsWith(join(root, 'dist')) || !code.includes('import.meta.url')) return undefined;
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
