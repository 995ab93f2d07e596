// Adds to package-lock.json the optional packages of other platforms that npm left out because the registry at hand
// did not have them: without their entries `npm ci` refuses the lockfile, here and everywhere else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, writeWhole } from './lib/checkout.mjs';

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

/**
 * @typedef {{ version?: string, dev?: boolean, optionalDependencies?: Record<string, string> }} Entry
 * @typedef {{ packages: Record<string, Entry> }} Lockfile
 */

/**
 * The entries that are missing, by their place in the lockfile.
 * @param {Lockfile} lockfile
 * @returns {Record<string, object>}
 */
export function missingEntries({ packages }) {
  /** @type {Record<string, object>} */
  const missing = {};
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const place = `node_modules/${name}`;
      if (place in packages || `${path}/${place}` in packages || !/^\d/.test(version)) continue;
      missing[place] = { version, ...platformOf(name), ...(entry.dev ? { dev: true } : {}), optional: true };
    }
  }
  return missing;
}

/**
 * `@swc/core-linux-arm-gnueabihf` says for what it was built.
 * @param {string} name
 */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  if (os.length !== 1 || cpu.length !== 1)
    throw new Error(`${name} does not say its platform: add it to package-lock.json by hand`);
  const libc = os[0] !== 'linux' ? [] : words.some((word) => word.startsWith('musl')) ? ['musl'] : ['glibc'];
  return { cpu, ...(libc.length > 0 ? { libc } : {}), os };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const path = join(root, 'package-lock.json');
  const lockfile = JSON.parse(readFileSync(path, 'utf8'));
  const missing = missingEntries(lockfile);
  const [first, ...rest] = Object.entries({ ...lockfile.packages, ...missing });
  const sorted = rest.sort(([a], [b]) => a.localeCompare(b, 'en'));
  lockfile.packages = Object.fromEntries(first === undefined ? [] : [first, ...sorted]);
  writeWhole(path, `${JSON.stringify(lockfile, null, 2)}\n`);
  process.stderr.write(`package-lock.json: ${Object.keys(missing).length} optional packages added\n`);
}
