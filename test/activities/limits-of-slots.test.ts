import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { slotActivities } from '../../activities/slots.js';
import { StoreError } from '../../src/store/port.js';
import { accountAtHand } from './support/account-at-hand.js';

test('an order that cannot be read while the caps are read fails that look, and not the worker (F46)', async () => {
  const { deps } = await accountAtHand([]);
  const unheard: unknown[] = [];
  const hear = (reason: unknown): void => void unheard.push(reason);
  process.on('unhandledRejection', hear);
  const { home } = deps;
  const { store } = home;
  const refusing = { ...store, get: () => Promise.reject(new StoreError('AccessDenied', 'refused')) };
  const away = { ...home, store: refusing, latestCheckpoint: () => sleep(100).then(() => home.latestCheckpoint()) };
  try {
    const look = slotActivities({ ...deps, home: away } as typeof deps).readLimits({ batches: ['b'] });
    await expect(look).rejects.toThrow('AccessDenied');
    await sleep(150);
    expect(unheard).toEqual([]);
  } finally {
    process.off('unhandledRejection', hear);
  }
});
