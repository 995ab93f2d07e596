import type { Assumption } from './assumptions.js';
import type { Settled, Tally } from './tally.js';

/** The summary of a run, for people and as JSON. */

/** What is checked against the service's truth, and what this world does not have. */
export const CHECKED = [
  'I1',
  'I2',
  'I3',
  'I4',
  'I5',
  'I6',
  'I7',
  'I9',
  'I10',
  'I11',
  'I12',
  'I13',
  'I14',
  'I17',
  'I19',
  'I21',
  'chains',
  'copies',
];
/** What is checked only in part. */
export const PARTLY_CHECKED = {
  I5: 'no grant belongs to two jobs, and none is held at the end; that each release was told once is not seen',
  I11: 'what each done row is said to have cost, where prices are exact; the sum over the account is for the soak',
  I13: 'gaps only in seeds without crashes, stops and the like, and up to 39 s: a connection here can take 9 s',
  I14: 'no submit after a 400; that 401 and 402 wait for key and balance shows only in rows that end',
  I19: 'no submit from 16 s after a cancel; that accepted jobs are fetched shows in the rows that are done',
};
export const NOT_MODELLED =
  'writes that are torn in the middle, the policy always, callbacks, budgets, hidden price factors, a process that is cut off from the server while its call goes on';
export const NOT_CHECKED = {
  I8: 'files appear whole in this store by construction',
  I15: 'no key exists here',
  I16: 'no histories are stored here',
  I18: 'nothing is connected here',
  I20: 'budgets are not drawn yet',
};

export function summaryOf(tally: Tally, broken: Assumption | undefined, seconds: number) {
  const { failed, timesMs, settled, verdicts, extra, slotMs, quietSlotMs, ...counts } = tally;
  const part = (some: number, all: number): number | null => (all === 0 ? null : round(some / all, 4));
  const share = ({ all, twins, alone, shown, plain }: Settled) => ({
    cases: all.cases,
    settled: all.settled,
    share: part(all.settled, all.cases),
    twins: twins.cases,
    shareWithoutTwins: part(all.settled - twins.settled, all.cases - twins.cases),
    alone: alone.cases,
    shareAlone: part(alone.settled, alone.cases),
    shown: shown.cases,
    shareShown: part(shown.settled, shown.cases),
    plain: plain.cases,
    sharePlain: part(plain.settled, plain.cases),
  });
  return {
    broken: broken ?? null,
    ...counts,
    virtualHours: round(tally.virtualMs / 3_600_000, 1),
    ambiguousShare: round(tally.ambiguous / Math.max(1, tally.submits), 4),
    verdicts,
    extraRequestsOfPlan: {
      nothingLost: part(extra.calm.requests, extra.calm.allowed),
      all: part(extra.all.requests, extra.all.allowed),
    },
    quietOfSlotTime: part(quietSlotMs, slotMs),
    settled: {
      exactPrices: share(settled.exact),
      priceRanges: share(settled.range),
      avatars: share(settled.avatar),
    },
    medianSecondsToVerdict: Object.fromEntries(
      Object.entries(timesMs).map(([charge, times]) => [charge, median(times)]),
    ),
    seconds: round(seconds, 1),
    seedsPerSecond: round(tally.seeds / seconds, 1),
    failedSeeds: failed.map(({ seed, hash, violations }) => ({ seed, hash, violations })),
  };
}

export function printSummary(summary: ReturnType<typeof summaryOf>, tally: Tally): string {
  const { verdicts, settled } = summary;
  const percent = (value: number | null): string => (value === null ? '-' : `${(value * 100).toFixed(1)} %`);
  const breaches = Object.entries(tally.breaches).map(([rule, count]) => `${rule} ${count}`);
  return [
    `${summary.broken === null ? 'all assumptions hold' : `broken: ${summary.broken}`}: ${tally.seeds} seeds, ${tally.rows} rows, ${tally.submits} submits (${percent(summary.ambiguousShare)} ambiguous), ${tally.jobs} jobs, ${summary.virtualHours} h of virtual time in ${summary.seconds} s`,
    `  verdicts  ${Object.entries(verdicts)
      .map(([word, { right, wrong }]) => `${word} ${right}${wrong > 0 ? ` and ${wrong} WRONG` : ''}`)
      .join(', ')}; ${tally.givenBack} bills were given back later, unseen`,
    `  settled   exact prices ${percent(settled.exactPrices.share)} of ${settled.exactPrices.cases}, price ranges ${percent(settled.priceRanges.share)} of ${settled.priceRanges.cases} (exclusive accounts); without ${settled.exactPrices.twins + settled.priceRanges.twins} twins ${percent(settled.exactPrices.shareWithoutTwins)} and ${percent(settled.priceRanges.shareWithoutTwins)}; alone ${percent(settled.exactPrices.shareAlone)} and ${percent(settled.priceRanges.shareAlone)}`,
    `            no twins, nothing beside that may be charged more later: ${percent(settled.exactPrices.sharePlain)} of ${settled.exactPrices.plain} and ${percent(settled.priceRanges.sharePlain)} of ${settled.priceRanges.plain}`,
    `  alone     exact prices ${percent(settled.exactPrices.shareAlone)} of ${settled.exactPrices.alone}, ranges ${percent(settled.priceRanges.shareAlone)} of ${settled.priceRanges.alone}, avatars of unknown length ${percent(settled.avatars.shareAlone)} of ${settled.avatars.alone}; ${summary.byGroup} of all were settled by count; the rest: ${reasonsText(summary.undecidedAlone)}`,
    `            where the balance shows the least price: ${percent(settled.exactPrices.shareShown)} of ${settled.exactPrices.shown} and ${percent(settled.priceRanges.shareShown)} of ${settled.priceRanges.shown}`,
    `  undecided ${reasonsText(tally.undecided)}`,
    `  chains    rows that others feed: ${reasonsText(tally.fedEnds.first)}; after a retry: ${reasonsText(tally.fedEnds.retried)}`,
    `  cost      ${percent(summary.extraRequestsOfPlan.nothingLost)} of the plan's requests where nothing was lost (${percent(summary.extraRequestsOfPlan.all)} in all), quiet ${percent(summary.quietOfSlotTime)} of the slot time`,
    `  median s  ${Object.entries(summary.medianSecondsToVerdict)
      .map(([charge, seconds]) => `${charge} ${seconds ?? '-'}`)
      .join(', ')}`,
    `  checked   ${CHECKED.map((rule) => (rule in PARTLY_CHECKED ? `${rule}*` : rule)).join(' ')} (* in part); ${tally.replayed} seeds played twice, ${tally.differing.length} differed`,
    `  breaches  ${breaches.length === 0 ? 'none' : breaches.join(', ')}`,
    ...tally.wrong.map(({ seed, what }) => `  seed ${seed}, WRONG: ${what}`),
    ...tally.failed
      .slice(0, 3)
      .flatMap(({ seed, hash, violations, history }) => [
        `  seed ${seed} (${hash}): ${violations.map(({ rule, what }) => `${rule} ${what}`).join('; ')}`,
        ...history.map((line) => `    ${line}`),
      ]),
  ].join('\n');
}

function reasonsText(reasons: Record<string, number>): string {
  return Object.entries(reasons)
    .map(([why, count]) => `${why} ${count}`)
    .join('; ');
}

function median(times: number[]): number | null {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? null : Math.round(middle / 1_000);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
