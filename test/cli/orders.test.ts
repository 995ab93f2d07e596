// Orders to a batch: what they refuse before anything is changed, and what stands where nobody can carry them out yet.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { beforeEach, describe, expect, test } from 'vitest';
import { orderRpm, refuseSharedRpm } from '../../src/cli/batch/batch-rpm.js';
import { orderPaused } from '../../src/cli/batch/pause-batch.js';
import { decidedRows } from '../../src/cli/review/continue-rows.js';
import { handlePairs } from '../../src/cli/review/orders.js';
import type { AttemptState, Intent } from '../../src/domain/attempt.js';
import { DEFAULT_SLOT_TERMS } from '../../src/domain/batch.js';
import { changeAccountLimits, readAccountLimits } from '../../src/home/account-limits.js';
import { isCancelledBatch, markStopped } from '../../src/home/batch-marks.js';
import { type BatchOrder, readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { takeName } from '../../src/home/handles.js';
import { discountAnswers } from '../../src/home/learned.js';
import { cli } from './harness.js';
import { ACCOUNT, CREDIT, type SeededHome, seededHome, T0 } from './seeded-home.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = {
  ...{ state: 'verdict', atMs: T0 + 600_000, verdict: 'undecided' },
  sentence: 'it can be either',
};
const REVIEW = { status: 'review', reasonCode: 'answer_lost_undecided' } as const;
const ORDER: BatchOrder = {
  limits: { maxCreditsNano: null, maxFailures: null },
  policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
};

let home: SeededHome;
beforeEach(async () => {
  home = await seededHome('b', [
    { id: 'one', states: [LOST, UNDECIDED], record: REVIEW },
    { id: 'two', states: [LOST, UNDECIDED], record: REVIEW },
  ]);
});

async function lastState(id: string): Promise<AttemptState['state'] | undefined> {
  return (await home.ledger.read('b', id)).at(-1)?.states.at(-1)?.state;
}

describe('a home that is not the one that the batch was run from', () => {
  const ORDERS = [
    ['resume', 'b'],
    ['retry', 'b'],
    ['review', 'resubmit', 'b', 'one', '--yes'],
    ['review', 'mark-lost', 'b', 'one'],
    ['review', 'attach-handle', 'b', 'one', 'h'],
    ['review', 'settle-group', 'b', '--exclusive', '--yes'],
  ];
  test.each(ORDERS)('%s %s: exit 4, and nothing is changed', async (...order) => {
    mkdirSync(join(home.folder, 'out', 'b'), { recursive: true });
    const mark = JSON.stringify({ schema: 1, homeId: 'a'.repeat(32), seenMs: 5 });
    writeFileSync(join(home.folder, 'out', 'b', `home-${ACCOUNT}.json`), mark);
    const { exitCode, stderr } = await home.run(...order);
    expect([exitCode, stderr]).toEqual([4, expect.stringMatching(/is not the home that 'b' .* say --trust-home/)]);
    expect(await lastState('one')).toBe('verdict');
  });

  test.each([['resume'], ['retry'], ['review', 'resubmit'], ['review', 'settle-group']])(
    '%s %s takes the flag that the refusal recommends',
    async (...command) => {
      expect((await home.run(...command, '--help')).stdout).toContain('--trust-home');
    },
  );
});

test('resume --all --rpm: requests per minute belong to one batch or to the account', async () => {
  const { exitCode, stderr } = await home.run('resume', '--all', '--rpm', '30');
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/`callsheet limits --rpm 30 --base-url .*` bounds the whole account/),
  ]);
});

test('limits: where nothing has a slot, nobody says that no batch runs', async () => {
  const { exitCode, stderr } = await home.run('limits');
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('no row has a slot or waits for one at this moment')]);
});

test('the help of resume names each limit that it takes', async () => {
  const { stdout } = await home.run('resume', '--help');
  for (const flag of ['--max-credits', '--max-failures', '--rpm']) expect(stdout).toContain(`  ${flag} <`);
  expect(stdout).not.toContain('--concurrency');
});

test.each([
  ['--max-credits', '5'],
  ['--max-failures', '3'],
])('resume --all %s: each batch keeps the limits that it was run with', async (flag, value) => {
  const { exitCode, stderr } = await home.run('resume', '--all', flag, value);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`\`callsheet resume <batch> ${flag} …\` goes on`)]);
});

test.each([
  ['retry', 'b'],
  ['review', 'resubmit', 'b', '--yes'],
  ['review', 'mark-lost', 'b'],
])('%s %s %s: an empty --class does not mean every row', async (...order) => {
  const { exitCode, stderr } = await home.run(...order, '--class', '');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--class is empty: name one of ')]);
  expect(await lastState('one')).toBe('verdict');
});

describe('orders that cannot be carried out yet', () => {
  test('after `engine stop` a review order is recorded, starts no engine, and names `resume`', async () => {
    home.stopEngine();
    const { exitCode, stdout, stderr } = await home.run('review', 'mark-lost', 'b', 'one');
    expect([exitCode, stdout]).toEqual([0, "row 'one': the order is recorded\n"]);
    expect(stderr).toMatch(
      /not carried out yet, since the engine was stopped by order: `callsheet resume b .*` carries/,
    );
    expect(await lastState('one')).toBe('ruled');
    expect(JSON.parse((await home.run('engine', 'status', '--json')).stdout).running).toBe(false);
  });

  test('what was decided meanwhile is found again, to be carried out by `resume`', async () => {
    home = await seededHome('b', [
      { id: 'one', states: [LOST, UNDECIDED], record: REVIEW },
      { id: 'two', states: [LOST, UNDECIDED], record: REVIEW },
      { id: 'open', states: [LOST] },
      { id: 'untried' },
    ]);
    home.stopEngine();
    await home.run('review', 'resubmit', 'b', 'one', '--yes');
    await home.run('review', 'mark-lost', 'b', 'open');
    const generation = await home.rows.generation('b', (await home.rows.currentGeneration('b')) ?? '');
    const found = await decidedRows({ access: home, batch: 'b', generation } as never);
    expect(found.map(({ id, index }) => [id, index])).toEqual([
      ['one', 0],
      ['open', 2],
    ]);
  });

  test('a store that fails at one row holds back neither the others nor the report', async () => {
    home.stopEngine();
    // A folder stands where the row's next record belongs.
    const next = home.home.keys.attempt({ batch: 'b', id: 'one', n: 1 }, 3);
    mkdirSync(join(home.folder, 'home', next, 'in the way'), { recursive: true });
    const { exitCode, stdout, stderr } = await home.run('review', 'mark-lost', 'b', 'one', 'two', '--not-billed');
    expect([exitCode, stdout]).toEqual([4, "row 'two': the order is recorded\n"]);
    expect(stderr).toMatch(/row 'one': .*; give the order for it again/);
    expect(await lastState('two')).toBe('ruled');
  });
});

describe('cancel', () => {
  const CREATED: AttemptState = { state: 'created', atMs: T0 + 1_000, handle: 'h' };
  const TOLD = /what the service accepted before \(3 jobs, at the latest until [\d:]{8}\) .*is billed/;
  const seedUnderWay = async (sentMs: number) => {
    home = await seededHome('b', [
      { id: 'one', intent: { atMs: sentMs }, states: [CREATED] },
      { id: 'two', states: [LOST] },
      { id: 'three', states: [CREATED], record: {} },
      { id: 'four' },
    ]);
    const [claim] = (await home.ledger.read('b', 'two'))[0]?.states ?? [];
    await home.ledger.claim({ batch: 'b', id: 'four', n: 1 }, claim as Intent);
  };

  test('where no engine runs the jobs that the ledger knows to be under way are told', async () => {
    const sentMs = Date.now() - 60_000;
    await seedUnderWay(sentMs);
    const json = JSON.parse((await home.run('cancel', 'b', '--json')).stdout);
    const until = new Date(sentMs + 1_800_000).toISOString();
    expect(json).toMatchObject({ counts: { done: 1, cancelled: 0 }, stillRunning: 3, until });
    expect((await home.run('cancel', 'b')).stdout).toMatch(TOLD);
  });

  test('claims that have had their time promise no later one', async () => {
    home = await seededHome('b', [{ id: 'one', states: [CREATED] }]);
    const { stdout } = await home.run('cancel', 'b', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ stillRunning: 1, until: null });
    expect((await home.run('cancel', 'b')).stdout).toMatch(/before \(1 job\) may still .*is fetched by .*resume --all/);
  });

  test('where no engine runs it takes effect at once; once more there is nothing to cancel', async () => {
    home = await seededHome('b', [{ id: 'one' }]);
    const { stdout } = await home.run('cancel', 'b');
    expect(stdout).toContain('it does not run now, and nothing of it is left at the service');
    expect(stdout).not.toContain('resume');
    expect((await home.run('cancel', 'b')).stdout).toContain('nothing to cancel');
    expect(await isCancelledBatch(home.home, 'b')).toBe(true);
  });

  test('a batch that has ended, or stopped by itself, is left as it is', async () => {
    home = await seededHome('b', [{ id: 'one', record: {} }, { id: 'two' }]);
    await markStopped(home.home, 'b', 'budget_reached', { atMs: T0 });
    const { stdout } = await home.run('cancel', 'b', '--json');
    expect(JSON.parse(stdout).counts).toMatchObject({ done: 1, not_started: 1, cancelled: 0 });
    expect(await isCancelledBatch(home.home, 'b')).toBe(false);
  });
});

describe('attach-handle', () => {
  test('holds for what its person saw: a row that went on while the handle was asked for is left alone', async () => {
    const service = createServer(async (_request, response) => {
      await home.ledger.append({ batch: 'b', id: 'one', n: 1 }, {
        ...UNDECIDED,
        verdict: 'not_billed',
      } as AttemptState);
      response.setHeader('content-type', 'application/json').end('{"name":"operations/h-1","done":false}');
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo;
    home.stopEngine();
    const order = ['review', 'attach-handle', 'b', 'one', 'operations/h-1', '--home', join(home.folder, 'home')];
    const place = ['--account', ACCOUNT, '--base-url', `http://127.0.0.1:${port}`];
    const { exitCode, stderr } = await cli([...order, ...place], {
      cwd: home.folder,
      env: { CALLSHEET_API_KEY: 'sk-svc-test' },
    });
    service.close();
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("row 'one' went on meanwhile: look at it again")]);
    expect(await lastState('one')).toBe('verdict');
  });

  test('a handle that an attempt of another batch has is refused, with its owner', async () => {
    await takeName(home.home, 'h-9', { batch: 'other', id: 'x', n: 1 });
    const { exitCode, stderr } = await home.run('review', 'attach-handle', 'b', 'one', 'h-9');
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining("the handle belongs to row 'x' of batch 'other': nothing was changed"),
    ]);
    expect(await lastState('one')).toBe('verdict');
  });

  test('two rows are never given one handle, nor one row two', async () => {
    const { exitCode, stderr } = await home.run('review', 'attach-handle', 'b', 'one', 'h-1', 'two', 'h-1');
    expect(exitCode).toBe(2);
    expect(stderr).toContain("row 'one': row 'two' is given the same handle");
    expect(stderr).toContain("row 'two': row 'one' is given the same handle");
    expect(await lastState('one')).toBe('verdict');
    expect(() => handlePairs(['one', 'h-1', 'one', 'h-2'])).toThrow("row 'one' is named twice");
    expect([...handlePairs(['one', 'h-1', 'two', 'h-2'])]).toEqual([
      ['one', 'h-1'],
      ['two', 'h-2'],
    ]);
  });
});

test('settle-group counts what its batch has spent before against --max-credits', async () => {
  const undecided = { states: [LOST, UNDECIDED], record: REVIEW };
  home = await seededHome('b', [
    { id: 'x', ...undecided },
    { id: 'y', ...undecided },
    { id: 'z', ...undecided },
  ]);
  for (let minute = -2; minute < 60; minute += 1) {
    const atMs = T0 - 1_000 + 60_000 * minute;
    const balanceNano = (minute < 3 ? 10 : 9.6) * CREDIT;
    await home.home.addCheckpoint({ rpm: null, concurrent: null, plan: null, askedMs: atMs - 100, atMs, balanceNano });
  }
  await discountAnswers.write(home.home, [{ firstMs: T0, lastMs: T0 + 3_600_000, rows: [] }]);
  const early = { claimedAtMs: T0 - 9_000_000, endedAtMs: T0 - 8_000_000, lo: 2 * CREDIT, hi: 2 * CREDIT };
  await home.book.append({ ...{ batch: 'b', id: 'w', n: 1, kind: 'vendor-f/video', end: 'charged' }, ...early });
  const order = ['review', 'settle-group', 'b', '--exclusive', '--max-credits'];
  // 2 credits before, of which 0.8 would be of the rows that were not billed, had they been booked.
  expect((await home.run(...order, '1.9')).stderr).toContain(
    'B52 2 rows would be sent again for 0.8 credits beside 1.2 of the batch before, and --max-credits is 1.9',
  );
  expect((await home.run(...order, '2')).stderr).toContain('to settle 3 lost answers');
}, 60_000);

describe('a pause while Temporal is away', () => {
  test('stands where its message does not arrive', async () => {
    await writeBatchOrder(home.home, 'b', ORDER);
    const signal = () => Promise.reject(Object.assign(new Error('14 UNAVAILABLE'), { name: 'ServiceError' }));
    const work = { temporal: { client: { workflow: { getHandle: () => ({ signal }) } } } };
    const close = async () => undefined;
    const said: string[] = [];
    const session = { config: { account: { name: ACCOUNT } }, terminal: { warn: (line: string) => said.push(line) } };
    await orderPaused({ session, access: home, batch: 'b' } as never, async () => ({ ...work, close }) as never);
    expect(said).toEqual([expect.stringContaining('Temporal does not answer: the order stands in the home')]);
    expect((await readBatchOrder(home.home, 'b'))?.isPaused).toBe(true);
  });
});

describe('pause', () => {
  const isPaused = async () => (await readBatchOrder(home.home, 'b'))?.isPaused ?? false;
  const isHeardOf = { session: { config: { account: { name: ACCOUNT } }, origins: new Map() }, batch: 'b' };
  beforeEach(async () => {
    home = await seededHome('b', [{ id: 'one' }]);
    await writeBatchOrder(home.home, 'b', ORDER);
  });

  test('is taken back where nobody could be asked', async () => {
    let wasPaused = false;
    const reach = async () => {
      wasPaused = await isPaused();
      throw new Error('no key');
    };
    await expect(orderPaused({ ...isHeardOf, access: home } as never, reach)).rejects.toThrow('no key');
    expect([wasPaused, await isPaused()]).toEqual([true, false]);
    home.stopEngine();
    expect((await home.run('pause', 'b')).exitCode).toBe(7);
    expect(await isPaused()).toBe(false);
  });

  test('is taken back where the server knows that the batch does not run', async () => {
    const signal = () => Promise.reject(new WorkflowNotFoundError('absent', 'w', undefined));
    const temporal = { client: { workflow: { getHandle: () => ({ signal }) } } };
    const work = { temporal, close: async () => undefined };
    const paused = orderPaused({ ...isHeardOf, access: home } as never, async () => work as never);
    await expect(paused).rejects.toThrow("batch 'b' does not run");
    expect(await isPaused()).toBe(false);
  });
});

describe('--rpm of a command that runs a batch', () => {
  const told: string[] = [];
  const session = (rpm: number | null) => ({
    config: { limits: { rpm, accountRpm: 100 } },
    origins: new Map(rpm === null ? [] : [['limits.rpm', { name: 'flag' }]]),
    terminal: { note: (line: string) => told.push(line) },
  });
  const at = (rpm: number | null, batch = 'b') => ({ session: session(rpm), access: home, batch }) as never;
  /** A Temporal on which these batches run and hold slots. */
  const running = (...batches: string[]) => {
    const getHandle = (id: string) => ({
      query: async () => ({ batches: batches.map((batch) => ({ batch })) }),
      describe: async () => ({ status: { name: batches.some((batch) => id.endsWith(batch)) ? 'RUNNING' : 'FAILED' } }),
    });
    const connection = { withDeadline: (_untilMs: number, look: () => unknown) => look() };
    return { temporal: { client: { connection, workflow: { getHandle } } } } as never;
  };
  const ofBatch = async () => (await readAccountLimits(home.home)).ofBatch;

  test('is refused where it would slow down another batch', async () => {
    await expect(refuseSharedRpm(at(30), running('b', 'films'))).rejects.toThrow(
      "--rpm 30 would hold for 'films' too, which runs, since requests per minute are counted for the whole account: `callsheet limits --rpm 30`",
    );
    await refuseSharedRpm(at(30), running('b'));
    await refuseSharedRpm(at(100), running('films'));
    await refuseSharedRpm(at(null), running('films'));
  });

  test('holds for its batch, which keeps it until it is begun anew', async () => {
    await orderRpm(at(30), running(), true);
    expect([await ofBatch(), told]).toEqual([
      { batch: 'b', rpm: 30 },
      ["requests  at most 30 a minute for the whole account until 'b' ends"],
    ]);
    await orderRpm(at(null), running('b'), false);
    await orderRpm(at(null, 'films'), running('b'), true);
    expect(await ofBatch()).toEqual({ batch: 'b', rpm: 30 });
    await orderRpm(at(null), running(), true);
    expect(await ofBatch()).toBeUndefined();
  });

  test('holds also where what was ordered of the account is taken back, and not beside a new order of requests', async () => {
    const own = { batch: 'b', rpm: 30 };
    await changeAccountLimits(home.home, () => ({ concurrency: 4, rpm: 60, ofBatch: own }));
    await home.run('limits', '--reset');
    expect(await readAccountLimits(home.home)).toEqual({ concurrency: null, rpm: null, ofBatch: own });
    await home.run('limits', '--reset', '--rpm', '50');
    expect(await readAccountLimits(home.home)).toEqual({ concurrency: null, rpm: 50 });
  });

  test('is gone with its batch, however that ended, and shown until then', async () => {
    await changeAccountLimits(home.home, () => ({ concurrency: null, rpm: null, ofBatch: { batch: 'b', rpm: 30 } }));
    expect((await home.run('limits')).stdout).toMatch(/^of 'b' +- +30$/m);
    expect(JSON.parse((await home.run('limits', '--json')).stdout)).toMatchObject({
      ofBatch: { batch: 'b', rpm: 30 },
      inForce: { rpm: 30 },
    });
    await orderRpm(at(null, 'films'), running(), true);
    expect(await ofBatch()).toBeUndefined();
  });
});

describe('limits above the plan', () => {
  beforeEach(async () => {
    const plan = { atMs: T0, balanceNano: CREDIT, rpm: 200, concurrent: 10, plan: 'pro' };
    await home.home.addCheckpoint(plan);
  });

  test('of a batch: what holds is shown, and that more was ordered', async () => {
    await writeBatchOrder(home.home, 'b', {
      ...{ limits: { maxCreditsNano: null, maxFailures: null } },
      ...{
        policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
        slots: { ...DEFAULT_SLOT_TERMS, concurrency: 99 },
      },
    });
    expect((await home.run('limits', 'b')).stdout).toMatch(/^b +10 \(99 is above the plan\) +1 +0$/m);
    const json = JSON.parse((await home.run('limits', 'b', '--json')).stdout);
    expect(json).toMatchObject({ batch: 'b', concurrency: 10, orderedConcurrency: 99 });
  });

  test('of the account: what holds has a line and a field of its own', async () => {
    await changeAccountLimits(home.home, () => ({ concurrency: 20, rpm: 120 }));
    const { stdout } = await home.run('limits');
    expect(stdout).toMatch(/^ordered +10 \(20 is above the plan\) +120$/m);
    expect(stdout).toMatch(/^holds +10 +120$/m);
    const json = JSON.parse((await home.run('limits', '--json')).stdout);
    expect(json).toMatchObject({ ordered: { concurrency: 20 }, inForce: { concurrency: 10, rpm: 120 } });
  });
});
