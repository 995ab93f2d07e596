import { isDeepStrictEqual } from 'node:util';
import type { AccountSettings } from '../contract/account.js';
import type { Kind } from '../domain/kind.js';
import type { Log } from '../domain/log.js';
import { type CreditsNano, formatCredits, NANO_PER_CREDIT } from '../domain/money.js';
import type { MeasuredPrice } from '../domain/price.js';
import type { Home } from '../home/home.js';
import {
  type LearnedFacts,
  type LearnedTiming,
  learnedFacts,
  measuredPrices,
  readLearned,
  readMeasuredPrices,
} from '../home/learned.js';
import { adapterFor } from '../kinds/index.js';
import type { ChargeTiming } from './check/evidence.js';

/** What this account taught: how late and how exact its balance is, who charges when, what was measured. */
export type Learned = ReturnType<typeof openLearned>;

/** What a reading of the balance taught; times scaled. */
export interface News {
  latenessMs: number;
  refundMs: number;
  balances: CreditsNano[];
  timings: { kind: Kind; model: string; timing: LearnedTiming['timing']; name: string }[];
}

interface Memory {
  facts: LearnedFacts;
  prices: MeasuredPrice[];
  readAtMs: number;
}

/** Another worker of the account may have learned more. */
const READ_EVERY_MS = 60_000;
/** The balance was seen this late: it may be a little later another time. */
const LATENESS_MARGIN = 1.25;
/** Later than this it is not lateness but something else. */
const LATENESS_MAX_MS = 7_200_000;
/** So many lone charges show when a model charges. */
const TIMES_MIN = 3;
/** A balance is taken for one with this many decimals until it shows more; beyond the most they are noise of floats. */
const DECIMALS_MIN = 2;
const DECIMALS_MAX = 6;

export function openLearned({
  home,
  settings,
  log,
  now,
}: {
  home: Home;
  settings: Pick<AccountSettings, 'waits' | 'timeScale'>;
  log: Log;
  now(): number;
}) {
  let memory: Memory | undefined;
  const recall = async (anew = false): Promise<Memory> => {
    if (memory && !anew && now() - memory.readAtMs < READ_EVERY_MS) return memory;
    const [facts, prices] = await Promise.all([readLearned(home), readMeasuredPrices(home)]);
    memory = { facts, prices, readAtMs: now() };
    return memory;
  };
  const atLeast = (floorMs: number, seenMs: number): number =>
    Math.max(floorMs, seenMs * LATENESS_MARGIN) / settings.timeScale;
  return {
    /** Λ: how late the balance can be, scaled ms. The setting is its floor: that it was early before proves nothing. */
    lambdaMs: async (): Promise<number> => {
      const { facts } = await recall();
      return atLeast(settings.waits.lambdaMs, facts.latenessMs);
    },
    /** Ρ: how late a refund can be, scaled ms. */
    rhoMs: async (): Promise<number> => {
      const { facts } = await recall();
      return atLeast(settings.waits.rhoMs, facts.refundMs ?? 0);
    },
    /** One unit of the last decimal place that the balance, or one of these, ever showed: it may be rounded there. */
    roundingNano: async (balances: CreditsNano[] = []): Promise<CreditsNano> => {
      const { facts } = await recall();
      const decimals = Math.max(DECIMALS_MIN, facts.decimals ?? 0, ...balances.map(decimalsOf));
      return NANO_PER_CREDIT / 10 ** Math.min(DECIMALS_MAX, decimals);
    },
    /** When a model charges: by the documents, else as three lone charges of it have shown. */
    timingOf: async (kind: Kind, model: string | undefined): Promise<ChargeTiming> => {
      const { charge } = adapterFor(kind);
      if (charge !== 'unknown' || model === undefined) return charge;
      const { facts } = await recall();
      const known = facts.timings?.find((one) => one.kind === kind && one.model === model);
      return known && !known.revoked && known.attempts.length >= TIMES_MIN ? known.timing : charge;
    },
    /** Keeps what was learned, where it is more than what is known. */
    keep: async (news: News): Promise<void> => {
      const memory = await recall(true);
      const { facts } = memory;
      const next = withNews(facts, news, settings.timeScale, now());
      if (isDeepStrictEqual({ ...facts, refundMs: facts.refundMs ?? 0, timings: facts.timings ?? [] }, next)) return;
      memory.facts = next;
      await learnedFacts.write(home, next);
      const { latenessMs, refundMs } = next;
      log.info({ latenessMs, refundMs, timings: news.timings }, 'learned from single charges');
    },
    prices: async (): Promise<readonly MeasuredPrice[]> => (await recall()).prices,
    /** Changes the measured prices as they stand in the home. */
    changePrices: async (change: (prices: MeasuredPrice[]) => MeasuredPrice[]): Promise<void> => {
      const memory = await recall(true);
      memory.prices = change(memory.prices);
      await measuredPrices.write(home, { schema: 1, prices: memory.prices });
    },
  };
}

function withNews(
  facts: LearnedFacts,
  { latenessMs, refundMs, balances, timings }: News,
  timeScale: number,
  nowMs: number,
): LearnedFacts {
  const later = (known: number, seenMs: number): number =>
    seenMs * timeScale > known && seenMs * timeScale <= LATENESS_MAX_MS ? seenMs * timeScale : known;
  const latest = later(facts.latenessMs, latenessMs);
  return {
    ...facts,
    latenessMs: latest,
    latenessAtMs: latest === facts.latenessMs ? facts.latenessAtMs : nowMs,
    refundMs: later(facts.refundMs ?? 0, refundMs),
    decimals: Math.min(DECIMALS_MAX, Math.max(facts.decimals ?? 0, ...balances.map(decimalsOf))),
    timings: timings.reduce(withTiming, facts.timings ?? []),
  };
}

/** One charge more of a model; a contradiction is never forgotten. */
function withTiming(known: LearnedTiming[], { name, ...seen }: News['timings'][number]): LearnedTiming[] {
  const before = known.find(({ kind, model }) => kind === seen.kind && model === seen.model);
  const others = known.filter((one) => one !== before);
  if (before === undefined) return [...others, { ...seen, attempts: [name], revoked: false }];
  if (before.timing !== seen.timing) return [...others, { ...before, revoked: true }];
  if (before.attempts.length >= TIMES_MIN || before.attempts.includes(name)) return known;
  return [...others, { ...before, attempts: [...before.attempts, name] }];
}

function decimalsOf(nano: CreditsNano): number {
  return formatCredits(nano).split('.')[1]?.length ?? 0;
}
