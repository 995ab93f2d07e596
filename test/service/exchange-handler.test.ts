import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { followExchange } from '../../src/service/exchange-handler.js';
import type { ExchangeLimits } from '../../src/service/exchange-limits.js';

const LIMITS: ExchangeLimits = {
  startTimeoutMs: 60_000,
  headersTimeoutMs: 60_000,
  leavingMaxMs: 0,
  bodyTimeoutMs: 60_000,
  rateWindowMs: 60_000,
  maxBodyBytes: 1_000,
};

/** A controller as undici gives it: `abort` reports back synchronously, and nothing is written after it. */
function controllerOf(handler: Dispatcher.DispatchHandler): {
  controller: Dispatcher.DispatchController;
  aborts: Error[];
} {
  const aborts: Error[] = [];
  const controller: Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    abort(reason) {
      aborts.push(reason);
      handler.onResponseError?.(controller, reason);
    },
    pause: () => undefined,
    resume: () => undefined,
  };
  return { controller, aborts };
}

describe('the hook decides alone whether anything was sent (T1, T11)', () => {
  it('an error without the hook proves that nothing was sent, whatever its code', async () => {
    const { handler, exchange } = followExchange({ limits: LIMITS, unsentBytes: () => 0 });
    const { controller } = controllerOf(handler);
    handler.onResponseError?.(controller, Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    expect(await exchange).toMatchObject({ outcome: 'not_sent', code: 'ECONNRESET' });
  });

  it('after the hook the same error proves nothing', async () => {
    const { handler, exchange } = followExchange({ limits: LIMITS, unsentBytes: () => 0 });
    const { controller } = controllerOf(handler);
    handler.onRequestStart?.(controller, undefined);
    handler.onResponseError?.(controller, Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    expect(await exchange).toMatchObject({ outcome: 'lost', phase: 'headers', code: 'ECONNREFUSED' });
  });

  it('a second start, which would be a second POST, is aborted inside the hook (one claim = one POST)', async () => {
    let guardCalls = 0;
    const beforeSend = () => {
      guardCalls += 1;
    };
    const { handler, exchange } = followExchange({ limits: LIMITS, beforeSend, unsentBytes: () => 0 });
    const { controller, aborts } = controllerOf(handler);
    handler.onRequestStart?.(controller, undefined);
    expect(aborts).toHaveLength(0);
    handler.onRequestStart?.(controller, undefined);
    expect(aborts).toHaveLength(1);
    expect(guardCalls).toBe(1);
    expect(await exchange).toMatchObject({ outcome: 'lost', code: 'NOT_REPEATED' });
  });

  it('a start after the exchange has ended is aborted inside the hook', async () => {
    const limits = { ...LIMITS, startTimeoutMs: 50 };
    const { handler, exchange } = followExchange({ limits, unsentBytes: () => 0 });
    expect(await exchange).toMatchObject({ outcome: 'not_sent', phase: 'connect', code: 'START_TIMEOUT' });
    const { controller, aborts } = controllerOf(handler);
    handler.onRequestStart?.(controller, undefined);
    expect(aborts).toHaveLength(1);
  });

  it('says nothing of what a foreign error says', async () => {
    const { handler, exchange } = followExchange({ limits: LIMITS, unsentBytes: () => 0 });
    const { controller } = controllerOf(handler);
    handler.onRequestStart?.(controller, undefined);
    handler.onResponseError?.(controller, Object.assign(new Error('sk-svc-key'), { code: 'sk-svc-key' }));
    expect(await exchange).toMatchObject({ code: 'UNKNOWN', message: 'no answer came (UNKNOWN)' });
  });
});
