// What only looks is quick: Temporal's client takes longer to load than all else that such a command does.
import { expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { csv, image } from './support/manifest.js';
import { startRig } from './support/rig.js';

/** Says at the end how many of the files that were loaded hold the client, which is within the program's own. */
const TELLS = `data:text/javascript,${encodeURIComponent(`
  import { Session } from 'node:inspector';
  process.on('exit', () => {
    const session = new Session();
    session.connect();
    const scripts = [];
    session.on('Debugger.scriptParsed', ({ params }) => scripts.push(params));
    session.post('Debugger.enable');
    const query = 'exports.WorkflowClient = WorkflowClient;';
    let found = 0;
    for (const { scriptId, url } of scripts) {
      if (!url.startsWith('file:')) continue;
      session.post('Debugger.searchInContent', { scriptId, query }, (_, said) => (found += said.result.length));
    }
    process.stderr.write('loaded ' + found);
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
