import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until it is so; fails after two minutes. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (Date.now() < deadline) {
    if (await isSo()) return;
    await sleep(20);
  }
  throw new Error('this did not come about within two minutes');
}
