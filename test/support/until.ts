import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until it is so; fails after ten minutes, which a machine that starves the test may need. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 600_000;
  while (Date.now() < deadline) {
    if (await isSo()) return;
    await sleep(20);
  }
  throw new Error('this did not come about within ten minutes');
}
