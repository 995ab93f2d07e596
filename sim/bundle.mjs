// Bundles the simulation with virtual clocks and the seed's Temporal in place of the real ones.
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
            const alias = files.get(path.slice(path.lastIndexOf('/') + 1));
            return alias === undefined || importer === alias ? undefined : { path: alias };
          });
        },
      },
    ],
  });
}
