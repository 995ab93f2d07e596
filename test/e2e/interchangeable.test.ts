// Lost answers of one exact price (design 3, Interchangeable attempts): counted, not told apart, and settled by themselves.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { filmRow, imageRow, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';

/** The n-th film submit is lost; every second one was taken and billed. */
const lost = (nth: number): FaultRule => ({
  match: { route: 'vendor-f.submit', nth },
  action: { do: 'reset-before-answer', created: nth % 2 === 0 },
});
const FILMS = 16;
const SPEED = 60;

describe.skipIf(!hasTemporal())('lost answers of one price', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  it('sixteen in a row, half of them billed, settle without a person: as many lost_paid as were billed, none paid twice (G1)', async () => {
    const faults = Array.from({ length: FILMS }, (_, i) => lost(i + 1));
    const stack = await startStack({ temporal, account: 'sixteen', speed: SPEED, emulator: { faults } });
    try {
      await stack.startWorker();
      const rows = [
        ...Array.from({ length: FILMS }, (_, i) => filmRow(`f${i}`)),
        ...Array.from({ length: 12 }, (_, i) => imageRow(`i${i}`)),
      ];
      const startedMs = Date.now();
      const { counts } = await stack.run('many', rows, { policy: { ambiguity: 'if-proved' } });
      const hours = ((Date.now() - startedMs) * SPEED) / 3_600_000;
      const { jobs } = stack.emulator.truth();
      const films = jobs.filter(({ kind }) => kind === 'vendor-f/video');
      const billed = films.filter(({ chargedNano }) => chargedNano > 0).length;
      expect(counts, `after ${hours.toFixed(1)} h`).toMatchObject({ review: 0, failed: 0, lost_paid: FILMS / 2 });
      expect(counts.done).toBe(FILMS / 2 + 12);
      expect(billed).toBe(FILMS);
      console.log(`settled within ${hours.toFixed(1)} h of service time`);
    } finally {
      await stack.stop();
    }
  });
});
