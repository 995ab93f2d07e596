// What goes on at the service is told at the end of an engine that had work, and only then.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type ControlReply, serveControl } from '../../src/engine/control.js';
import { writeStopMark } from '../../src/engine/engine-record.js';
import { enginePlaces } from '../../src/engine/places.js';
import { cli, workFolder } from './harness.js';

const left: (() => unknown)[] = [];

afterEach(() => {
  for (const end of left.splice(0)) end();
});

interface Open {
  openBatches: number | null;
  otherWork: number | null;
  /** Batches that were counted while it ended, where that is another number. */
  counted?: number;
}

/** What answers as an engine does, with a process that ends once it is asked how far its end is. */
async function engineWith({ counted, ...open }: Open): Promise<string> {
  const cwd = workFolder();
  const places = enginePlaces(join(cwd, 'data'));
  const supervisor = spawn('sleep', ['600'], { stdio: 'ignore' });
  const control = await serveControl(places.socket, async ({ cmd }) => {
    if (cmd === 'stop') writeStopMark(places.stopMark, { openBatches: counted ?? open.openBatches ?? 0 });
    if (cmd === 'status') supervisor.kill();
    return { ok: true, status: { pid: supervisor.pid, awaited: [], ...open } } as unknown as ControlReply;
  });
  left.push(
    () => control.close(),
    () => supervisor.kill(),
  );
  return cwd;
}

const GOES_ON =
  'the engine ended; what the service has accepted renders on there and is fetched when it runs again: `callsheet resume --all`\n';

test.each([
  { openBatches: 0, otherWork: 0, said: 'the engine ended\n' },
  { openBatches: 1, otherWork: 0, said: GOES_ON },
  // An output that is still fetched, of a batch that has ended.
  { openBatches: 0, otherWork: 1, said: GOES_ON },
  { openBatches: 0, otherWork: 0, counted: 1, said: GOES_ON },
  { openBatches: null, otherWork: null, said: GOES_ON },
])('engine stop with %j', async ({ said, ...open }) => {
  const cwd = await engineWith(open);
  const { exitCode, stdout } = await cli(['engine', 'stop'], { cwd });
  expect([exitCode, stdout]).toEqual([0, said]);
});
