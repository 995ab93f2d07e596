// What only looks is quick: Temporal's client takes longer to load than all else that such a command does.
import { expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { csv, image } from './support/manifest.js';
import { startRig } from './support/rig.js';

/** Says at the end which of the SDK's packages were loaded. */
const TELLS = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module';
  process.on('exit', () => {
    const loaded = Object.keys(createRequire('/').cache).flatMap((path) => /@temporalio.client/.exec(path) ?? []);
    process.stderr.write('loaded ' + new Set(loaded).size);
  });
`)}`;

it.skipIf(!hasTemporal())(
  'status and list load no client of Temporal, beside an engine too; an order does',
  async () => {
    const rig = await startRig({ speed: 200 });
    try {
      await rig.write('shots.csv', csv([image('one')]));
      expect((await rig.run(['run', 'shots.csv', '--yes'])).code).toBe(0);
      expect(await rig.engine()).toMatchObject({ state: 'ready' });
      const env = { NODE_OPTIONS: `--import=${TELLS}` };
      for (const looks of [['status', 'shots'], ['list'], ['status', 'shots', '--json']]) {
        expect(await rig.run(looks, { env })).toMatchObject({ code: 0, stderr: 'loaded 0' });
      }
      expect((await rig.run(['cancel', 'shots'], { env })).stderr).toContain('loaded 1');
    } finally {
      await rig.stop();
    }
  },
);
