import type { Kind } from '../domain/kind.js';
import type { MeasuredPrice } from '../domain/price.js';
import type { ChargeTiming } from '../reconcile/evidence.js';
import { type Learned, readLearned, readMeasuredPrices, writeLearned, writeMeasuredPrices } from '../store/learned.js';
import { adapterFor } from '../vendors/index.js';
import type { Dependencies } from './dependencies.js';

/** What this account taught: how late its balance is, who charges at submit, what was measured. Λ only ever grows. */

interface Memory {
  learned: Learned;
  prices: MeasuredPrice[];
  readAtMs: number;
}
const memories = new WeakMap<Dependencies, Memory>();

/** Another worker of the account may have learned more. */
const READ_EVERY_MS = 60_000;
/** The balance was seen this late: it may be a little later another time. */
const LATENESS_MARGIN = 1.25;
/** Later than this it is not lateness but something else. */
const LATENESS_MAX_MS = 1_800_000;

/** Λ: how late the balance can be, scaled ms. The setting is its floor: that it was early before proves nothing. */
export async function lambdaMs(deps: Dependencies): Promise<number> {
  const { waits, timeScale } = deps.settings;
  const { learned } = await recall(deps);
  return Math.max(waits.lambdaMs, learned.latenessMs * LATENESS_MARGIN) / timeScale;
}

/** When a kind charges: `vendor-f` anywhere until a charge was seen before completion, then at submit. */
export async function timingOf(deps: Dependencies, kind: Kind): Promise<ChargeTiming> {
  const { charge } = adapterFor(kind);
  if (charge !== 'unknown') return charge;
  const { learned } = await recall(deps);
  return learned.chargedAtSubmit.some((one) => one.kind === kind) ? 'at-submit' : charge;
}

/** Keeps what was learned, where it is more than what is known. Times are unscaled ms. */
export async function keepLearned(deps: Dependencies, latenessMs: number, chargedAtSubmit: Kind[]): Promise<void> {
  const memory = await recall(deps, true);
  const { learned } = memory;
  const atMs = deps.now();
  const isLater = latenessMs > learned.latenessMs && latenessMs <= LATENESS_MAX_MS;
  const fresh = chargedAtSubmit.filter((kind) => !learned.chargedAtSubmit.some((one) => one.kind === kind));
  if (!isLater && fresh.length === 0) return;
  memory.learned = {
    schema: 1,
    latenessMs: isLater ? latenessMs : learned.latenessMs,
    latenessAtMs: isLater ? atMs : learned.latenessAtMs,
    chargedAtSubmit: [...learned.chargedAtSubmit, ...[...new Set(fresh)].map((kind) => ({ kind, atMs }))],
  };
  await writeLearned(deps.home, memory.learned);
  deps.log.info({ latenessMs: memory.learned.latenessMs, chargedAtSubmit: fresh }, 'learned from a single charge');
}

export async function measuredPrices(deps: Dependencies): Promise<readonly MeasuredPrice[]> {
  return (await recall(deps)).prices;
}

/** Changes the measured prices as they stand in the home. */
export async function keepPrices(
  deps: Dependencies,
  change: (prices: MeasuredPrice[]) => MeasuredPrice[],
): Promise<void> {
  const memory = await recall(deps, true);
  memory.prices = change(memory.prices);
  await writeMeasuredPrices(deps.home, memory.prices);
}

async function recall(deps: Dependencies, anew = false): Promise<Memory> {
  const known = memories.get(deps);
  if (known && !anew && deps.now() - known.readAtMs < READ_EVERY_MS) return known;
  const [learned, prices] = await Promise.all([readLearned(deps.home), readMeasuredPrices(deps.home)]);
  const memory: Memory = { learned, prices, readAtMs: deps.now() };
  memories.set(deps, memory);
  return memory;
}
