// Bundles the simulation with virtual clocks and the seed's Temporal in place of the real ones.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** @param {string} name */
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const aliases = new Map([
  ['@temporalio/workflow', here('aliases/workflow.ts')],
  ['@temporalio/activity', here('aliases/activity.ts')],
  ['@temporalio/client', here('aliases/client.ts')],
  ['node:timers/promises', here('aliases/timers-promises.ts')],
  ['node:crypto', here('aliases/crypto.ts')],
]);
const files = new Map([
  ['media-facts.js', here('aliases/media-facts.ts')],
  ['json-text.js', here('aliases/json-text.ts')],
  ['probe-media.js', here('aliases/probe-media.ts')],
]);

/**
 * @param {string} entry the program, in this folder
 * @param {string} outfile where its one file goes
 */
export async function bundle(entry, outfile) {
  const replaced = new Set();
  await build({
    entryPoints: [here(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
    inject: [here('aliases/globals.ts')],
    plugins: [
      {
        name: 'virtual',
        setup({ onResolve }) {
          onResolve({ filter: /^(@|node:|[a-z])/ }, ({ path, importer, kind }) => {
            if (kind === 'entry-point') return undefined;
            const alias = importer === aliases.get(path) ? undefined : aliases.get(path);
            return alias ? { path: alias } : { path, external: true };
          });
          onResolve({ filter: /\/(media-facts|json-text|probe-media)\.js$/ }, ({ path, importer }) => {
            // The emulator reads media with code of its own.
            if (importer.includes('/emulator/')) return undefined;
            const name = path.slice(path.lastIndexOf('/') + 1);
            const alias = files.get(name);
            replaced.add(name);
            return alias === undefined || importer === alias ? undefined : { path: alias };
          });
        },
      },
    ],
  }); // A file that has moved on would be played with its real decoders, which load themselves outside of the virtual time.
  const missed = [...files.keys()].filter((name) => entry === 'main.ts' && !replaced.has(name));
  if (missed.length === 0) return;
  rmSync(outfile);
  throw new Error(`sim/bundle.mjs replaces ${missed.join(', ')}, which nothing imports any more`);
}
