import { expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { ACCOUNT, rowOf, type SeededHome, seededHome, T0 } from './seeded-home.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = {
  ...{ state: 'verdict', atMs: T0 + 600_000, verdict: 'undecided' },
  sentence: 'it can be either',
};

async function withoutRow(): Promise<SeededHome> {
  const record = { status: 'review', reasonCode: 'answer_lost_undecided' } as const;
  const home = await seededHome('b', [
    { id: 'left', states: [LOST, UNDECIDED], record },
    { id: 'stays', states: [LOST, UNDECIDED], record },
  ]);
  const writer = createRowsWriter(home.home.store, ACCOUNT, 'b');
  await writer.add({ row: rowOf('stays', 0), raw: { id: 'stays' } });
  const facts = await writer.finish({ columns: ['id'], passthroughColumns: [], createdAtMs: T0 });
  await home.rows.setCurrentGeneration('b', facts.generation);
  // None is started for an order.
  home.stopEngine();
  return home;
}

const states = async (home: SeededHome, id: string) =>
  (await home.ledger.read('b', id)).at(-1)?.states.map(({ state }) => state);

test('it is not sent again: that is refused when it is ordered, and of that row alone', async () => {
  const home = await withoutRow();
  const { exitCode, stderr } = await home.run('review', 'resubmit', 'b', 'left', 'stays', '--yes');
  expect(exitCode).toBe(2);
  expect(stderr).toContain("row 'left': it left the manifest, so that it would not be sent");
  expect(await states(home, 'left')).toEqual(['intent', 'unknown', 'verdict']);
  expect(await states(home, 'stays')).toEqual(['intent', 'unknown', 'verdict', 'overridden']);
  expect((await home.run('review', 'show', 'b', 'left')).stdout).not.toContain('review resubmit');
});

test('of an order for all that need a person it is left out, and the order took effect for the others', async () => {
  const home = await withoutRow();
  const { exitCode, stderr, stdout } = await home.run('review', 'resubmit', 'b', '--all', '--yes');
  expect(stderr).toContain("left out: row 'left': it left the manifest, so that it would not be sent");
  expect(stderr).toContain('1 row of 2 settled');
  expect(stdout).toContain("row 'stays'");
  expect(await states(home, 'stays')).toEqual(['intent', 'unknown', 'verdict', 'overridden']);
  expect(exitCode).toBe(0);
  const none = await home.run('review', 'resubmit', 'b', '--class', 'answer_lost_undecided', '--yes');
  expect([none.exitCode, none.stderr]).toEqual([2, expect.not.stringContaining('left out')]);
});

test('it is settled by what a person knows of it', async () => {
  const home = await withoutRow();
  expect(await home.run('review', 'mark-lost', 'b', 'left')).toMatchObject({ exitCode: 0 });
  expect((await states(home, 'left'))?.at(-1)).toBe('ruled');
});
