// How many jobs a batch opens: by what the home knows of the plan, before this worker has read anything (7-S3).
import { expect, test } from 'vitest';
import { accountActivities, lastCaps, windowCap } from '../../activities/account.js';
import { openDependencies } from '../../activities/dependencies.js';
import { changeAccountLimits } from '../../src/home/account-limits.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const PLAN = { balanceNano: 5e9, rpm: 600, concurrent: 20, plan: 'enterprise' };

test('7-S3: a fresh worker opens as many jobs as the newest reading in the home allows, or was ordered', async () => {
  const { deps: atHand } = await accountAtHand([plainRow('r')]);
  const limits = { concurrency: null, rpm: null };
  const deps = openDependencies({ ...atHand, settings: { ...atHand.settings, limits } });
  const atMs = deps.now() + 1_000;
  await deps.home.addCheckpoint({ ...PLAN, atMs, askedMs: atMs - 10 });
  expect(await windowCap(deps)).toBe(20);
  await changeAccountLimits(deps.home, () => ({ concurrency: 12, rpm: null }));
  expect(await windowCap(deps)).toBe(12);
});

test('what a batch was run with bounds the requests per minute until that batch ends', async () => {
  const { deps: atHand } = await accountAtHand([plainRow('r')]);
  const limits = { concurrency: null, rpm: null };
  const told: number[] = [];
  const onCaps = ({ rpm }: { rpm: number }) => void told.push(rpm);
  const deps = openDependencies({ ...atHand, onCaps, settings: { ...atHand.settings, limits } });
  const atMs = deps.now() + 1_000;
  await deps.home.addCheckpoint({ ...PLAN, atMs, askedMs: atMs - 10 });
  await changeAccountLimits(deps.home, () => ({ concurrency: null, rpm: 120, ofBatch: { batch: 'films', rpm: 30 } }));
  expect((await lastCaps(deps))?.rpm).toBe(30);
  const { closeBooks } = accountActivities(deps);
  await closeBooks({ batch: 'other', sinceMs: 0 });
  expect((await lastCaps(deps))?.rpm).toBe(30);
  await closeBooks({ batch: 'films', sinceMs: 0 });
  expect([(await lastCaps(deps))?.rpm, told]).toEqual([120, [120]]);
});
