// The page of a row that was not sent says why, as far as that is known.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { whyWaiting } from '../../src/dashboard/why-waiting.js';
import { markStopped, writeSampleGate } from '../../src/home/batch-marks.js';
import { type SeededHome, seededHome, T0 } from '../cli/seeded-home.js';
import { fed } from '../support/chain-rows.js';
import { type ServedHome, serveHome, sessionOf } from './dashboard-rig.js';

let home: SeededHome;
let served: ServedHome;
let headers: Record<string, string>;

beforeAll(async () => {
  home = await seededHome('b', [
    { id: 'hero', record: { status: 'review', reasonCode: 'answer_lost_undecided' } },
    { id: 'film', row: { media: { image: [fed('hero', 0)] } } },
    { id: 'open' },
    { id: 'next', row: { media: { image: [fed('open', 2)] } } },
  ]);
  served = await serveHome(home);
  headers = { 'x-callsheet-session': await sessionOf(served) };
});
afterAll(() => served?.stop());

interface Told {
  row: { status: string; reason: string };
  waits: string | null;
  explanations: { code: string }[];
}

async function told(id: string): Promise<unknown[]> {
  const answer = await fetch(`${served.origin}/api/batches/b/rows/${id}`, { headers });
  const { row, waits, explanations } = (await answer.json()) as Told;
  return [row.status, row.reason, waits, explanations[0]?.code ?? null];
}

test('a feeder, the batch, the sample and the budget are named', async () => {
  const idle = 'Its batch is not running: it waits until that is resumed.';
  const upstream = 'row hero, which feeds it: review, answer_lost_undecided';
  expect(await told('film')).toEqual(['not_started', upstream, null, 'upstream_review']);
  expect(await told('open')).toEqual(['waiting', '', idle, null]);
  expect(await told('next')).toEqual(['held', 'waits for row open', idle, null]);
  await writeSampleGate(home.home, 'b', { ids: ['hero'], atMs: T0 });
  const beyond = 'It is not of the sample: it waits until the rest of the batch is approved.';
  await expect.poll(() => told('open'), { timeout: 10_000 }).toEqual(['not_started', '', beyond, null]);
  await markStopped(home.home, 'b', 'budget_reached', { atMs: T0 });
  await expect.poll(() => told('open'), { timeout: 10_000 }).toEqual(['not_started', '', null, 'budget_reached']);
});

test('a batch that runs says nothing of a row that waits, unless something keeps all of it', async () => {
  const why = (state: string, blocked: string | null = null) => {
    const source = { mayRun: async () => undefined, status: async () => ({ state, blocked }) };
    return whyWaiting(source, 'b', { id: 'one', status: 'waiting', reasonCode: '' });
  };
  expect(await why('running')).toBeNull();
  expect(await why('paused')).toBe('Its batch is paused: it waits until that is resumed.');
  expect(await why('paused', 'the disk is full')).toBe('Its batch is blocked: the disk is full.');
});
