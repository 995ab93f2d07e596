import { beforeAll, describe, expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { intentOf } from '../../src/domain/standing.js';
import { markCancelled } from '../../src/home/batch-marks.js';
import { discountAnswers } from '../../src/home/learned.js';
import { rowRecord } from '../support/row-record.js';
import { CREDIT, type SeededHome, seededHome, T0 } from './seeded-home.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNREAD: AttemptState = {
  ...{ state: 'created_lost', atMs: T0 + 5_000 },
  evidence: { rule: 'T9', status: 200, message: 'no handle', answer: '<p>job 4711</p>' },
};
const UNDECIDED: AttemptState = {
  ...{ state: 'verdict', atMs: T0 + 600_000, verdict: 'undecided' },
  sentence: 'it can be either',
};
const REVIEW = { status: 'review', reasonCode: 'answer_lost_undecided' } as const;

let home: SeededHome;
beforeAll(async () => {
  home = await seededHome('b', [
    { id: 'one', states: [LOST, UNDECIDED], record: REVIEW },
    { id: 'two', states: [LOST, UNDECIDED], record: REVIEW },
    {
      id: 'billed',
      states: [LOST, { ...UNDECIDED, verdict: 'billed' } as AttemptState],
      record: { status: 'lost_paid', reasonCode: 'answer_lost_billed', creditsNano: 0.3 * CREDIT },
    },
    {
      id: 'given-up',
      states: [UNREAD, { state: 'ruled', atMs: T0, ruling: 'billed', by: { who: 'ann' } }],
      record: { status: 'lost_paid', reasonCode: 'marked_lost', creditsNano: 0.4 * CREDIT },
    },
    { id: 'renders', states: [{ state: 'created', atMs: T0 + 1_000, handle: 'h-1' }] },
    {
      id: 'done',
      states: [{ state: 'created', atMs: T0 + 1_000, handle: 'h-2' }, rendered()],
      record: { creditsNano: CREDIT },
    },
    { id: 'open', states: [LOST] },
  ]);
  const reading = { rpm: null, concurrent: null, plan: null };
  await home.home.addCheckpoint({ ...reading, askedMs: T0 - 2_000, atMs: T0 - 1_000, balanceNano: 10 * CREDIT });
  for (const [minute, balance] of [9.9, 9.9, 9.5, 9.5, 9.5].entries()) {
    const atMs = T0 + 59_000 + 60_000 * minute;
    await home.home.addCheckpoint({ ...reading, askedMs: atMs - 1_000, atMs, balanceNano: balance * CREDIT });
  }
  await home.book.append({
    ...{ batch: 'other', id: 'x', n: 1, kind: 'vendor-f/video', end: 'charged' },
    ...{ claimedAtMs: T0 + 1_000, endedAtMs: T0 + 2_000, lo: 0.1 * CREDIT, hi: 0.1 * CREDIT },
  });
});

function rendered(): AttemptState {
  return { state: 'rendered', atMs: T0 + 9_000, outputs: [{ url: 'https://cdn.example/film.mp4' }], facts: {} };
}

test('review show: what an answer that could not be read began with (T9)', async () => {
  const { stdout } = await home.run('review', 'show', 'b', 'given-up');
  expect(stdout).toContain('T9: 200 no handle\n    its answer began: <p>job 4711</p>\n');
  const { attempts } = JSON.parse((await home.run('review', 'show', 'b', 'given-up', '--json')).stdout);
  expect(attempts[0].states[1]).toMatchObject({ evidence: { answer: '<p>job 4711</p>' } });
});

describe('review list (design 3, Policy and people)', () => {
  test('a row that a person gave up needs nobody any more', async () => {
    const { rows } = JSON.parse((await home.run('review', 'list', 'b', '--json')).stdout);
    expect(rows.map(({ id }: { id: string }) => id)).toEqual(['one', 'two', 'billed', 'open']);
  });
});

test('a row that a person settled is not listed while its order waits for the engine', async () => {
  const rows = ['lost', 'free', 'again', 'left'].map((id) => ({ id, states: [LOST, UNDECIDED], record: REVIEW }));
  const seeded = await seededHome('b', rows);
  seeded.stopEngine();
  await seeded.run('review', 'mark-lost', 'b', 'lost', '--yes');
  await seeded.run('review', 'mark-lost', 'b', 'free', '--not-billed', '--yes');
  await seeded.run('review', 'resubmit', 'b', 'again', '--yes');
  const list = JSON.parse((await seeded.run('review', 'list', '--json')).stdout);
  expect(list.rows).toMatchObject([{ id: 'left', status: 'review' }]);
  expect(list.total).toEqual({ rows: 1, at_stake: '0.4', unknown_rows: 0 });
});

describe('review show', () => {
  test('the evidence with its numbers: balance before, the fall, what others took, what is missing, the price', async () => {
    const { stdout } = await home.run('review', 'show', 'b', 'one');
    expect(stdout).toContain('balance  10 at 09:59:59, before the submit; 9.5 at 10:04:59: it fell by 0.5000');
    // The booked film, and one that renders and may have taken its price by then, or nothing.
    expect(stdout).toContain('others   2 other attempts took 0.1000 to 0.5000 of that; 1 other answer is lost as well');
    expect(stdout).toContain('missing  0.0000 to 0.4000');
    expect(stdout).toContain('price    this attempt would cost 0.4000');
    expect(stdout).toContain('verdict  undecided, at 10:10:00');
    expect(stdout).toContain('at stake  0.4 credits');
    expect(stdout).toContain('callsheet review resubmit b one');
    const json = JSON.parse((await home.run('review', 'show', 'b', 'one', '--json')).stdout);
    expect(json.evidence).toMatchObject({ fell_by: '0.5', price: { from: '0.4', to: '0.4' } });
  });

  test('an open case says until when it waits', async () => {
    const { stdout } = await home.run('review', 'show', 'b', 'open');
    expect(stdout).toMatch(/verdict {2}none yet: /);
  });

  test('4-U9: a healthy row is told as what it is, with nothing at stake', async () => {
    const renders = await home.run('review', 'show', 'b', 'renders');
    expect(renders.stdout).toContain('vendor-f/video, rendering');
    expect(renders.stdout).toContain('reason    The service accepted it and renders it.');
    expect(renders.stdout).not.toMatch(/answer|at stake|evidence/);
    const done = await home.run('review', 'show', 'b', 'done');
    expect(done.stdout).toContain('It is done');
    expect(done.stdout).toContain('cost      1 credits');
    expect(done.stdout).not.toMatch(/answer to its submit|at stake/);
  });

  test('5-X2: the URL of an output is shown', async () => {
    const { stdout } = await home.run('review', 'show', 'b', 'done');
    expect(stdout).toContain('output    https://cdn.example/film.mp4');
    expect(stdout).not.toContain('aaaaaaaa');
  });
});

describe('orders for many rows', () => {
  test('which rows: ids, or --all, or --class, and never two of them', async () => {
    const none = await home.run('review', 'resubmit', 'b');
    expect(none).toMatchObject({ exitCode: 2 });
    expect(none.stderr).toContain('which rows? name the ids, or say --all or --class');
    const two = await home.run('review', 'resubmit', 'b', 'one', '--all');
    expect(two).toMatchObject({ exitCode: 2 });
    expect(two.stderr).toContain('exclude each other: name the ids, or say --all or --class <class>');
  });

  test('one question for all, with the money at stake; nothing is claimed before it is granted', async () => {
    const all = await home.run('review', 'resubmit', 'b', '--all');
    expect(all.exitCode).toBe(2);
    expect(all.stderr).toContain('3 rows would be paid again (at a price that nobody knows): say --yes; 1.1 credits');
    expect(all.stderr).not.toContain('is submitted again');
    const some = await home.run('review', 'resubmit', 'b', '--class', 'answer_lost_undecided');
    expect(some.stderr).toContain('2 rows would be paid again');
    expect(await states('one')).toBe(3);
  });

  test('each refusal is said of its row', async () => {
    const ended = await home.run('review', 'resubmit', 'b', 'done', 'renders', 'nobody', '--yes');
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain("row 'done': it is done: there is nothing to settle; nothing was changed");
    expect(ended.stderr).toContain("row 'renders': it renders at the service");
    expect(ended.stderr).toContain("has no attempt of a row 'nobody'");
    for (const [command, word] of [
      ['review', 'show'],
      ['ledger', 'show'],
    ] as const) {
      const near = await home.run(command, word, 'b', 'rendres');
      expect(near.stderr).toContain("has no attempt of a row 'rendres'; did you mean 'renders'?");
    }
    const unnamed = await home.run('review', 'resubmit', 'b', '', '--yes');
    expect(unnamed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("has no attempt of a row ''") });
    const twice = await home.run('review', 'mark-lost', 'b', 'given-up', '--yes');
    expect(twice).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('it is marked lost already') });
    const json = JSON.parse((await home.run('review', 'mark-lost', 'b', 'done', 'renders', '--json')).stdout);
    expect(json).toMatchObject({
      schema: 1,
      command: 'mark-lost',
      rows: [{ id: 'done', recorded: null }, { id: 'renders' }],
    });
  });

  test('a row whose output is of other values than the manifest has is told as that, and not as done', async () => {
    const states = [{ state: 'created', atMs: T0 + 1_000, handle: 'h-2' } as const, rendered()];
    const seeded = await seededHome('b', [{ id: 'other', states, record: { rowHash: 'hash', attempts: 1 } }]);
    const { rows } = JSON.parse((await seeded.run('review', 'list', 'b', '--json')).stdout);
    expect(rows).toMatchObject([{ id: 'other', status: 'review', reason_code: 'row_changed' }]);
    for (const command of ['resubmit', 'mark-lost'] as const) {
      const { exitCode, stderr } = await seeded.run('review', command, 'b', 'other', '--yes');
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringMatching(/row .other.: its output is of .* `--changed rerun`/),
      ]);
    }
    const shown = JSON.parse((await seeded.run('review', 'show', 'b', 'other', '--json')).stdout);
    expect(shown).toMatchObject({ status: 'review', reason_code: 'row_changed' });
  });

  test('the open case of a row that is being rendered again is settled as any other', async () => {
    const rerun: AttemptState = { state: 'overridden', atMs: T0 + 70_000, cause: 'rerun', by: { who: 'ann' } };
    const seeded = await seededHome('b', [
      { id: 'again', states: [{ state: 'created', atMs: T0 + 1_000, handle: 'h-2' }, rendered(), rerun] },
    ]);
    const [first] = await seeded.ledger.read('b', 'again');
    const intent = first && intentOf(first);
    if (intent === undefined) throw new Error('the home has no such row');
    await seeded.records.writeRecord('b', rowRecord({ id: 'again', rowHash: 'hash', rerunAtMs: T0 + 70_000 }));
    await seeded.ledger.claim({ batch: 'b', id: 'again', n: 2 }, intent);
    const early = await seeded.run('review', 'mark-lost', 'b', 'again', '--not-billed', '--yes');
    expect(early.stderr).toContain("row 'again': its submit is under way");
    await seeded.ledger.append({ batch: 'b', id: 'again', n: 2 }, LOST);
    seeded.stopEngine(0);
    const marked = await seeded.run('review', 'mark-lost', 'b', 'again', '--not-billed', '--yes');
    expect([marked.exitCode, marked.stderr]).toEqual([0, expect.not.stringContaining('it is done')]);
    const [, second] = await seeded.ledger.read('b', 'again');
    expect(second?.states.at(-1)).toMatchObject({ state: 'ruled', ruling: 'not_billed' });
  });

  test('rows that share the output of the row and failed for it are named with the order that copies it', async () => {
    const seeded = await seededHome('b', [
      { id: 'first', states: [LOST, UNDECIDED], record: REVIEW },
      { id: 'twin', row: { shares: 0 }, record: { status: 'failed', reasonCode: 'shared_row_failed', attempts: 0 } },
    ]);
    seeded.stopEngine(0);
    const { exitCode, stderr } = await seeded.run('review', 'resubmit', 'b', 'first', '--yes');
    const told = /1 row that shares the output failed for the lost one: once it is there, `callsheet retry b /;
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(told)]);
  });

  test('attach-handle takes rows and handles in turn', async () => {
    const odd = await home.run('review', 'attach-handle', 'b', 'one', 'h', 'two');
    expect(odd).toMatchObject({ exitCode: 2 });
    expect(odd.stderr).toContain("row 'two' has no handle behind it");
    const all = await home.run('review', 'attach-handle', 'b', '--all');
    expect(all.stderr).toContain("row 'one': no handle of it is known");
  });

  async function states(id: string): Promise<number> {
    return (await home.ledger.read('b', id)).at(-1)?.states.length ?? 0;
  }
});

describe('review settle-group (design 3, Interchangeable attempts)', () => {
  let counted: SeededHome;
  beforeAll(async () => {
    const undecided = { states: [LOST, UNDECIDED], record: REVIEW };
    counted = await seededHome('b', [
      { id: 'x', ...undecided },
      { id: 'y', ...undecided },
      { id: 'z', ...undecided },
    ]);
    // The balance is read each minute, until long after the last time at which a charge of them can come.
    for (let minute = -2; minute < 60; minute += 1) {
      const atMs = T0 - 1_000 + 60_000 * minute;
      const balanceNano = (minute < 3 ? 10 : 9.6) * CREDIT;
      const reading = { rpm: null, concurrent: null, plan: null, askedMs: atMs - 100, atMs, balanceNano };
      await counted.home.addCheckpoint(reading);
    }
    await discountAnswers.write(counted.home, [{ firstMs: T0, lastMs: T0 + 3_600_000, rows: [] }]);
  });

  test('one question: how many were billed, how many are sent again and for how much', async () => {
    const ended = await counted.run('review', 'settle-group', 'b', '--exclusive');
    expect(ended.stderr).toContain(
      'to settle 3 lost answers: 1 were billed and end as lost_paid, 2 were not and are sent again for 0.8 credits, say --yes',
    );
    expect(ended.exitCode).toBe(2);
    const capped = await counted.run('review', 'settle-group', 'b', '--exclusive', '--max-credits', '0.5');
    expect(capped.stderr).toContain(
      'B52 2 rows would be sent again for 0.8 credits, and --max-credits is 0.5: give a higher one',
    );
    expect((await counted.ledger.read('b', 'x')).at(-1)?.states).toHaveLength(3);
  });

  test('rows of another batch that are sent again are named with it, and that it was cancelled', async () => {
    await counted.seed('old', [{ id: 'w', states: [LOST, UNDECIDED], record: REVIEW }]);
    await markCancelled(counted.home, 'old', T0 + 700_000);
    const ended = await counted.run('review', 'settle-group', 'b', '--exclusive');
    expect(ended.stderr).toContain(
      "3 were not and are sent again for 1.2 credits, 1 of them for batch 'old', which was cancelled, say --yes",
    );
  });

  test('an account that others use proves nothing', async () => {
    const ended = await counted.run('review', 'settle-group', 'b');
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('is not declared exclusive (--exclusive)');
  });
});

test('orders that are shown for a row whose id reads as a flag are for that row alone', async () => {
  const seeded = await seededHome('b', [
    { id: '--all', states: [LOST, UNDECIDED], record: REVIEW },
    { id: 'two', states: [LOST, UNDECIDED], record: REVIEW },
  ]);
  // Stopped by order: what is ordered is recorded, and starts no engine.
  seeded.stopEngine();
  const shown = JSON.parse((await seeded.run('review', 'show', 'b', '--json', '--', '--all')).stdout);
  const commands: string[] = shown.commands.map(({ command }: { command: string }) => command);
  expect(commands).toContainEqual(expect.stringMatching(/^callsheet review mark-lost .* -- b --all$/));
  expect((await seeded.run('review', 'mark-lost', '--', 'b', '--all')).stdout).toContain("row '--all'");
  const lastOf = async (id: string) => (await seeded.ledger.read('b', id)).at(-1)?.states.at(-1)?.state;
  expect([await lastOf('--all'), await lastOf('two')]).toEqual(['ruled', 'verdict']);
});
