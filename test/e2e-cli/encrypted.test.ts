import { randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPayloadKeys } from '../../src/config/payload-keys.js';
import { createPayloadCodec } from '../../src/temporal/payload-codec.js';
import { connectTemporal } from '../../src/temporal.js';
import { type StoredHistory, storedHistories } from '../support/histories.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { results } from './support/evidence.js';
import { csv, mixed } from './support/manifest.js';
import { type Ended, type Rig, type Running, startRig, until } from './support/rig.js';

const ROWS = mixed(3);
const RUN = ['--yes', '--shared-folder'];

describe.skipIf(!hasTemporal())('a shared Temporal that is given keys', () => {
  let temporal: TestWorkflowEnvironment;
  let rig: Rig;
  let env: Record<string, string>;
  let keyed: Record<string, string>;
  let worker: Running;
  let ran: Ended;
  let histories: StoredHistory[];

  beforeAll(async () => {
    temporal = await startTemporal();
    rig = await startRig({
      speed: 200,
      emulator: {
        faults: [{ match: { route: 'vendor-f.poll', nth: 1 }, action: { do: 'refuse', code: 'bad_gateway' } }],
      },
    });
    await rig.write('team.csv', csv(ROWS));
    await rig.write('keys', `may ${randomBytes(32).toString('base64')}\n`);
    await chmod(join(rig.folder, 'keys'), 0o600);
    env = { TEMPORAL_ADDRESS: temporal.address };
    keyed = { ...env, CALLSHEET_TEMPORAL_KEYS: 'keys' };
    worker = rig.start(['worker', '--shared-folder'], { env: keyed });
    await until('the worker serves', () => worker.stderr().includes('the worker serves') || undefined);
    ran = await rig.run(['run', 'team.csv', ...RUN], { env: keyed });
    histories = await stored();
  });
  afterAll(async () => {
    await rig?.stop();
    await temporal?.teardown();
  });

  /** As the server has them: a key is needed to list them alone, since that reads the memos. */
  async function stored(): Promise<StoredHistory[]> {
    const codec = createPayloadCodec(await readPayloadKeys(join(rig.folder, 'keys')));
    const { client, close } = await connectTemporal({ address: temporal.address, embedded: true, codec });
    const found = await storedHistories(client);
    await close();
    return found;
  }

  it('brings every row, and clients with the keys see it', async () => {
    expect(ran.code, ran.stderr).toBe(0);
    expect(results(rig, 'team').map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    const { code, stdout } = await rig.run(['status', 'team', '--json'], { env: keyed });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { counts: { done: 3 } }]);
    const credits = await rig.run(['credits'], { env: keyed });
    expect(credits.code, credits.stderr).toBe(0);
    const { stdout: looked } = await rig.run(['doctor'], { env: keyed });
    expect(looked).toContain("what it holds is encrypted with key 'may'");
  });

  it('holds nothing that can be read: neither arguments, results and memos nor what failed', () => {
    expect(histories.map(({ type }) => type)).toEqual(expect.arrayContaining(['batch', 'job', 'semaphore']));
    const found = histories.map(({ history }) => encodingsIn(history));
    expect(new Set(found.flat())).toEqual(new Set(['binary/encrypted']));
    const failures = histories.flatMap(({ history }) => failuresIn(history)).filter(({ message }) => message !== RACED);
    expect(failures).not.toEqual([]);
    for (const failure of failures) expect(failure).toEqual({ message: 'Encoded failure', stackTrace: '' });
  });

  it('tells a client without the key in one sentence, before it sends anything', async () => {
    const sentence =
      "error: what Temporal holds is encrypted with key 'may': name the file that has it with --temporal-keys or CALLSHEET_TEMPORAL_KEYS\n";
    await rig.write('other.csv', csv(mixed(1, 'x')));
    const before = rig.emulator.truth().jobs.length;
    for (const command of [
      ['status', 'team'],
      ['run', 'other.csv', ...RUN],
      ['worker', '--shared-folder'],
    ]) {
      const { code, stderr } = await rig.run(command, { env });
      expect([code, stderr.split('\n').slice(-2).join('\n')], command.join(' ')).toEqual([4, sentence]);
    }
    expect(rig.emulator.truth().jobs.length).toBe(before);
    expect((await stored()).filter(({ workflowId }) => workflowId.includes('other'))).toEqual([]);
  });

  it('is what keys are for: beside the engine they are refused', async () => {
    const { code, stderr } = await rig.run(['run', 'team.csv', '--yes'], {
      env: { CALLSHEET_TEMPORAL_KEYS: 'keys' },
    });
    expect([code, stderr]).toEqual([4, expect.stringContaining('temporal.keys is for a shared Temporal')]);
  });

  it('lets its worker drain', async () => {
    worker.child.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });
});

/** What the SDK and the server write for themselves: search attributes, and of local activities their names and times. */
const NOT_OURS = ['searchAttributes', 'data'];

/** The server's own word where a signal came just as a workflow ended its task: the task is done once more. */
const RACED = 'UnhandledCommand';

/** The encodings of all payloads. */
function encodingsIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return [];
  const { metadata } = value as { metadata?: Record<string, Uint8Array> | null };
  const own = metadata?.encoding === undefined ? [] : [Buffer.from(metadata.encoding).toString()];
  const parts = Object.entries(value).filter(([name]) => !NOT_OURS.includes(name));
  return [...own, ...parts.flatMap(([, part]) => encodingsIn(part))];
}

function failuresIn(value: unknown): { message: unknown; stackTrace: unknown }[] {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return [];
  const { message, stackTrace } = value as { message?: unknown; stackTrace?: unknown };
  const own = stackTrace === undefined ? [] : [{ message, stackTrace }];
  return [...own, ...Object.values(value).flatMap(failuresIn)];
}
