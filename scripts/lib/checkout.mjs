// What a checkout is made from and whether its dependencies and its build are still those of the files as they are.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What the product is made from. */
export const sourceFolders = ['src', 'workflows', 'activities', 'emulator'];

const buildStamp = join(root, 'dist', '.built-from');
const dependencyStamp = join(root, 'node_modules', '.callsheet-lockfile');

/** True for a checkout with sources; an installed package has only its build. */
export function hasSources() {
  return existsSync(join(root, 'src', 'domain')) && existsSync(join(root, 'tsconfig.json'));
}

/** A hash over everything that a build is made from. */
export function sourceHash() {
  const sources = sourceFolders.flatMap((folder) => filesBelow(join(root, folder))).map((file) => relative(root, file));
  return hashOf(['package-lock.json', 'tsconfig.json', 'scripts/build.mjs', 'scripts/lib/bundle-cli.mjs', ...sources]);
}

/** A hash over the build itself: clients and engines of one build know each other by it. dist/cli is made from the rest and from packages. */
export function buildHash() {
  const bundled = join(root, 'dist', 'cli', sep);
  const files = filesBelow(join(root, 'dist')).filter((file) => file.endsWith('.js') && !file.startsWith(bundled));
  return hashOf(files.map((file) => relative(root, file))).slice(0, 16);
}

export function isBuilt() {
  return readText(buildStamp) === sourceHash();
}

/** @param {string} hash the source hash from before the build: a file that changed meanwhile makes the build stale. */
export function markBuilt(hash) {
  writeWhole(buildStamp, hash);
}

/** True when node_modules holds what package-lock.json asks for, whoever installed it. */
export function hasDependencies() {
  const lockfile = join(root, 'package-lock.json');
  if (readText(dependencyStamp) === hashOf(['package-lock.json'])) return true;
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const wanted = packagesOf(lockfile) ?? {};
  const whole = Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional === true || installed[path]?.version === entry.version,
  );
  if (whole) markDependencies();
  return whole;
}

export function markDependencies() {
  writeWhole(dependencyStamp, hashOf(['package-lock.json']));
}

/**
 * Writes a file so that a reader sees the old or the new text, never a part.
 * @param {string} path
 * @param {string} text
 */
export function writeWhole(path, text) {
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, text);
  renameSync(part, path);
}

/**
 * @param {string} folder
 * @returns {string[]} absolute paths in a fixed order.
 */
export function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() ? [path] : [];
    });
}

/** @param {string[]} files paths relative to the root. */
function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * @param {string} path
 * @returns {Record<string, { version?: string, optional?: boolean }> | undefined}
 */
function packagesOf(path) {
  const text = readText(path);
  return text === undefined ? undefined : JSON.parse(text).packages;
}
