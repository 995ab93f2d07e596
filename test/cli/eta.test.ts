// When a batch will have ended, as a range with what binds.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isMinuteFull } from '../../src/cli/access/home-access.js';
import { ETA_NOT_YET, type EtaFacts, etaOf, etaText } from '../../src/cli/views/durations.js';
import type { Config } from '../../src/config.js';
import type { SemaphoreView } from '../../src/contract/semaphore-view.js';
import { workFolder } from './harness.js';

const SLOTS: SemaphoreView = {
  ...{ planCap: 4, effectiveCap: 4, waiting: 9, pauses: [], curbs: [], batches: [], ready: true },
  holders: ['b', 'b', 'c'].map((batch, i) => ({
    ...{ job: { batch, id: `${i}` }, grant: i, kind: 'svc/image', sinceMs: 0, phase: 'submitted' as const },
  })),
};
const FACTS: EtaFacts = {
  ...{ batch: 'b', isPaused: false, ended: 16, elapsedMs: 160_000, open: 40, held: 0 },
  ...{ slots: SLOTS, isMinuteFull: false },
};
const holder = SLOTS.holders[0] as SemaphoreView['holders'][number];
const full = { ...SLOTS, holders: [...SLOTS.holders, holder] };

test('the rate so far, wider the fewer rows it is known by', () => {
  expect(etaOf(FACTS)).toMatchObject({ lowSeconds: 320, highSeconds: 534 });
  expect(etaOf({ ...FACTS, ended: 4, elapsedMs: 40_000 })).toMatchObject({ lowSeconds: 266, highSeconds: 800 });
});

test('one last row takes up to what a row holds a slot', () => {
  expect(etaOf({ ...FACTS, open: 1 })).toMatchObject({ lowSeconds: 8, highSeconds: 40 });
});

test('not known before some rows have ended, nor while it is paused; nothing is left of what has ended', () => {
  expect(etaOf({ ...FACTS, ended: 2 })).toBeNull();
  expect(etaOf({ ...FACTS, isPaused: true })).toBeNull();
  expect(etaOf({ ...FACTS, open: 0, ended: 0 })).toEqual({ lowSeconds: 0, highSeconds: 0, bound: null });
  expect(ETA_NOT_YET).toBe('not known until 3 rows of this run have ended');
});

test.each<[string, Partial<EtaFacts>, string | null]>([
  ['every slot is held', { slots: full }, 'slots'],
  ['its own part of the slots is held', { slots: { ...SLOTS, batches: [terms(2)] } }, 'slots'],
  ['the minute is full', { isMinuteFull: true }, 'requests'],
  ['the minute is full and so are the slots', { isMinuteFull: true, slots: full }, 'requests'],
  ['the service asks for a slower pace', { slots: { ...SLOTS, curbs: [paced('rpm')] } }, 'requests'],
  ['the network is away', { slots: { ...SLOTS, curbs: [paced('network')] } }, null],
  ['the rest costs more than there is', { restNano: 101, leftNano: 100, slots: full }, 'credits'],
  ['the rest costs less than there is', { restNano: 100, leftNano: 100, slots: full }, 'slots'],
  ['nothing waits', { open: 2 }, 'longest_job'],
  ['the rest waits for other rows', { open: 9, held: 7 }, 'chains'],
  ['slots are free and rows wait', {}, null],
  ['no view of the slots', { slots: undefined }, null],
])('%s', (_, changed, bound) => {
  expect(etaOf({ ...FACTS, ...changed })?.bound).toBe(bound);
});

function terms(concurrency: number) {
  return { batch: 'b', held: 2, waiting: 9, concurrency, weight: 1, priority: 0 };
}

function paced(cause: 'rpm' | 'network') {
  return { curb: 'paced' as const, cause, route: null, sinceMs: 0, untilMs: 1 };
}

test('in words', () => {
  expect(etaText({ lowSeconds: 120, highSeconds: 300, bound: 'slots' })).toBe(
    '2 min to 5 min, bound by simultaneous jobs',
  );
  expect(etaText({ lowSeconds: 5, highSeconds: 5, bound: null })).toBe('5 s');
});

test('the minute is full when the worker sent all that it may in it', async () => {
  const data = workFolder();
  const config = { data, account: { name: 'a' } } as Config;
  expect(await isMinuteFull(config, 4, 100_000)).toBe(false);
  mkdirSync(join(data, 'requests'));
  writeFileSync(join(data, 'requests', 'a.log'), '1\n90000\n91000\n92000\n');
  expect([await isMinuteFull(config, 4, 100_000), await isMinuteFull(config, 5, 100_000)]).toEqual([true, false]);
  expect([await isMinuteFull(config, 4, 152_000), await isMinuteFull(config, null, 100_000)]).toEqual([false, false]);
});

test('a count of requests that cannot be read is one that nobody keeps here', async () => {
  const data = workFolder();
  mkdirSync(join(data, 'requests', 'a.log'), { recursive: true });
  expect(await isMinuteFull({ data, account: { name: 'a' } } as Config, 4, 100_000)).toBe(false);
});
