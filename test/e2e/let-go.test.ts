import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import type { FromWorker, HandedAccount } from '../../src/engine/registration.js';
import { createWorkerHost } from '../../src/worker/host.js';
import { openPlace } from '../../src/worker.js';
import { silent } from '../support/silent-log.js';
import { imageRow, startStack } from '../support/stack.js';
import { hasTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

const LET_GO_AFTER_MS = 2_000;

describe.skipIf(!hasTemporal())('5-X12: an account that nobody uses', () => {
  it('is let go while its engine runs, not before its last batch has ended, and served again when it is handed over', async () => {
    const stack = await startStack({ account: 'idle', speed: 60 });
    const { settings, temporal } = stack;
    const said: FromWorker[] = [];
    const host = createWorkerHost({
      place: openPlace({ embedded: true, address: temporal.address }),
      log: silent,
      say: (message) => void said.push(message),
      letGoAfterMs: LET_GO_AFTER_MS,
    });
    const hand = (turn: number): HandedAccount => ({
      type: 'account',
      turn,
      registration: {
        account: settings.account,
        settings: settings as unknown as JsonObject,
        key: { value: 'sk-svc-emulator' },
      },
    });
    const left = () => said.filter(({ type }) => type === 'left').length;
    try {
      await host.serve(hand(1));
      // Rendering takes longer than an account is served for nothing.
      const first = await stack.run(
        'one',
        Array.from({ length: 60 }, (_, i) => imageRow(`r${i}`)),
      );
      expect(first.counts.done).toBe(60);
      expect(left()).toBe(0);
      await until(() => left() === 1);

      await host.serve(hand(2));
      expect(said.filter(({ type }) => type === 'ready')).toHaveLength(2);
      const second = await stack.run('two', [imageRow('again')]);
      expect(second.counts.done).toBe(1);
    } finally {
      await host.shutdown();
      await stack.stop();
    }
  });
});
