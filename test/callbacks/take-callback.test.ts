import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CallbackMessenger, createCallbackDesk } from '../../src/callbacks/take-callback.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { createCallbacks } from '../../src/home/handles.js';
import { createLedger } from '../../src/home/ledger.js';
import { createFolderStore } from '../../src/store/folder.js';
import type { Store } from '../../src/store/port.js';
import { intent, states } from '../home/support/examples.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { until } from '../support/until.js';

const REF = { batch: 'b', id: 'r1', n: 1 };
const BODY = Buffer.from('{"code":0,"data":{"task_id":"8123","task_status":"succeed"}}');

describe('what a callback does (design 3, Recovering a lost handle; F53)', () => {
  let store: Store;
  let token: string;
  let told: string[];
  let isOpen: boolean;
  const claimed = () => intent({ kind: 'vendor-a/text2video', callbackToken: token });
  beforeEach(() => {
    store = createFolderStore(temporaryFolder());
    token = randomBytes(32).toString('base64url');
    told = [];
    isOpen = true;
  });

  const messenger: CallbackMessenger = {
    async callbackCame({ batch, id }, { n }) {
      told.push(`${isOpen ? 'told' : 'not there'} ${batch}/${id}/${n}`);
      return isOpen;
    },
    async confirmLate({ row, n }) {
      told.push(`late ${row.batch}/${row.id}/${n} part ${row.part} index ${row.index}`);
    },
  };
  const desk = (timeScale = 1) =>
    createCallbackDesk({
      account: 'a',
      callbacks: createCallbacks(store, 'a'),
      messenger,
      timeScale,
      log: { info: () => undefined },
      onError: (error) => {
        throw error;
      },
    });
  const stand = async (...later: AttemptState[]) => {
    const ledger = createLedger(store, 'a');
    await ledger.claim(REF, claimed());
    for (const state of later) await ledger.append(REF, state);
    return ledger;
  };
  const handles = () => createCallbacks(store, 'a').handles(claimed());

  it('opens nothing for a token that was never claimed, nor for one of a claim that lost the race', async () => {
    await stand();
    const loser = randomBytes(32).toString('base64url');
    expect(await createLedger(store, 'a').claim(REF, { ...claimed(), callbackToken: loser })).toBe(false);
    expect(await desk().open(loser)).toBeUndefined();
    expect(await desk().open(randomBytes(32).toString('base64url'))).toBeUndefined();
    expect(await desk().open(token)).toBeDefined();
  });

  it('early, while the submit is under way: keeps the handle and tells nobody', async () => {
    const ledger = await stand();
    await (await desk().open(token))?.(BODY);
    expect(told).toEqual([]);
    expect(await handles()).toEqual(['8123']);
    expect((await ledger.readAttempt(REF))?.states).toHaveLength(1);
  });

  it('of a running job: tells the job, whatever the body says, and keeps nothing', async () => {
    const ledger = await stand(states.created);
    await (await desk().open(token))?.(Buffer.from('not even JSON'));
    await until(async () => told.length > 0);
    expect(told).toEqual(['told b/r1/1']);
    expect(await handles()).toEqual([]);
    expect((await ledger.readAttempt(REF))?.states).toHaveLength(2);
  });

  it('repeated at once: tells the job at most twice in a gap', async () => {
    await stand(states.created);
    const one = desk(100);
    const hear = await one.open(token);
    await Promise.all(Array.from({ length: 20 }, () => hear?.(BODY)));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(told).toEqual(['told b/r1/1', 'told b/r1/1']);
  });

  it('after a lost answer: keeps the handle and tells the job', async () => {
    await stand(states.unknown);
    await (await desk().open(token))?.(BODY);
    await until(async () => told.length > 0);
    expect(told).toEqual(['told b/r1/1']);
    expect(await handles()).toEqual(['8123']);
  });

  it('after a lost answer whose job is gone: has it confirmed', async () => {
    isOpen = false;
    await stand(states.unknown);
    await (await desk().open(token))?.(BODY);
    await until(async () => told.length > 1);
    expect(told).toEqual(['not there b/r1/1', 'late b/r1/1 part 0 index 7']);
  });

  it.each(['billed', 'undecided', 'not_billed'] as const)(
    'after the verdict %s, though its job is still open to end: has it confirmed, and changes no state itself',
    async (verdict) => {
      const ledger = await stand(states.unknown, { ...states.verdict, verdict });
      await (await desk().open(token))?.(BODY);
      await until(async () => told.length > 0);
      expect(told).toEqual(['late b/r1/1 part 0 index 7']);
      expect((await ledger.readAttempt(REF))?.states.at(-1)).toMatchObject({ state: 'verdict' });
    },
  );

  it('after a person gave it up as billed: has it confirmed, since what was paid may be there', async () => {
    await stand(states.unknown, { state: 'ruled', atMs: 3, ruling: 'billed', by: { who: 'ann' } });
    await (await desk().open(token))?.(BODY);
    await until(async () => told.length > 0);
    expect(told).toEqual(['late b/r1/1 part 0 index 7']);
    expect(await handles()).toEqual(['8123']);
  });

  it.each([
    '{"data":{"task_id":"44712345678901234561"}}',
    '{"task_id":"44712345678901234561","task_status":"succeed"}',
    '{"task_id":44712345678901234561}',
    '{"data":{"task_id":44712345678901234561,"task_status":"succeed"}}',
  ])('takes the handle from %s, whose form is not shown', async (body) => {
    await stand(states.unknown);
    await (await desk().open(token))?.(Buffer.from(body));
    expect(await handles()).toEqual(['44712345678901234561']);
    // The job is told beside; the next test begins with nobody told.
    await until(async () => told.length > 0);
  });

  it('without a handle in the body a lost answer stays lost', async () => {
    await stand(states.unknown);
    for (const body of ['', '{}', '{"data":{"task_id":null}}', '{"task":{"task_id":"8123"}}', '[]'])
      await (await desk().open(token))?.(Buffer.from(body));
    expect([told, await handles()]).toEqual([[], []]);
  });

  it.each(['rendered', 'ended'] as const)('late, when the job has %s: nothing at all', async (end) => {
    await stand(states.created, states[end]);
    await (await desk().open(token))?.(BODY);
    expect([told, await handles()]).toEqual([[], []]);
  });

  it('keeps at most eight handles of an attempt', async () => {
    await stand(states.unknown);
    const hear = await desk().open(token);
    for (let i = 0; i < 20; i += 1) await hear?.(Buffer.from(`{"data":{"task_id":"forged-${i}"}}`));
    expect(await handles()).toHaveLength(8);
  });

  it('names no token in the home but in the claim itself', async () => {
    await stand(states.created);
    const names: string[] = [];
    for await (const key of store.list('')) names.push(key);
    expect(names.some((name) => name.includes(token))).toBe(false);
    expect(names.filter((name) => name.includes('/callbacks/'))).toHaveLength(1);
  });
});
