// How long a submit waits for its answer (docs/guarantees.md): never less than the call itself may take.

import { expect, it } from 'vitest';
import { callHeldMs, FRESH_MS, headersLimitMs, leavingMaxMs, syncMaxMs } from '../../src/books/waits.js';
import { KINDS } from '../../src/kinds/facts.js';
import { adapterFor } from '../../src/kinds/index.js';

const settings = (timeScale: number) => ({
  timeScale,
  waits: { lambdaMs: 0, thetaMs: 0, rhoMs: 0, syncMaxMs: 900_000, renderMaxMs: {} },
});

it('1-D4: a clip’s own 504 after 120 s still arrives, at any speed of a rehearsal', () => {
  for (const timeScale of [1, 10, 60, 1_000]) {
    for (const kind of ['svc/clip', 'svc/animation'] as const) {
      expect(headersLimitMs(settings(timeScale), kind)).toBeGreaterThanOrEqual(120_000 / timeScale + 2_500);
    }
  }
  expect(headersLimitMs(settings(1), 'svc/clip')).toBe(150_000);
});

it('what the media of a request take to leave is no part of a wait that the service’s own end sets (design 3)', () => {
  expect(leavingMaxMs(settings(1), 'svc/animation')).toBe(150_000);
  expect(leavingMaxMs(settings(60), 'svc/animation')).toBe(2_500);
  for (const kind of ['svc/image', 'vendor-f/video'] as const) expect(leavingMaxMs(settings(1), kind)).toBe(0);
  for (const kind of KINDS) {
    const held = headersLimitMs(settings(1), kind) + leavingMaxMs(settings(1), kind) + FRESH_MS;
    expect(callHeldMs(settings(1), kind)).toBe(held);
  }
});

it('1-D2: a call without a documented end is waited for as long as the setting says', () => {
  for (const kind of ['svc/image', 'svc/edit', 'vendor-f/interaction'] as const) {
    expect(headersLimitMs(settings(1), kind)).toBe(900_000);
    expect(headersLimitMs(settings(10), kind)).toBe(90_000);
    expect(syncMaxMs(settings(10), kind)).toBe(90_000);
  }
});

it('vendor-f is waited for ten minutes, as its clients are asked to (service document 2, Limits)', () => {
  for (const timeScale of [1, 60]) expect(headersLimitMs(settings(timeScale), 'vendor-f/video')).toBe(600_000);
});

it('no limit is below what the call may take; any other asynchronous submit has 300 s at any speed', () => {
  for (const kind of KINDS) {
    for (const timeScale of [1, 60]) {
      const limitMs = headersLimitMs(settings(timeScale), kind);
      if (adapterFor(kind).flow === 'async') expect(limitMs).toBe(kind === 'vendor-f/video' ? 600_000 : 300_000);
      else expect(limitMs).toBeGreaterThanOrEqual(syncMaxMs(settings(timeScale), kind));
    }
  }
});
