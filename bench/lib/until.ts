import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/** How long it took until it was so, s; throws where it does not come in time. */
export async function secondsUntil(isSo: () => Promise<boolean>, giveUpS: number): Promise<number> {
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1_000;
  while (!(await isSo())) {
    if (seconds() > giveUpS) throw new Error(`it did not come within ${giveUpS} s`);
    await sleep(LOOK_EVERY_MS);
  }
  return seconds();
}
