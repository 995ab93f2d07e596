import type { Assumption } from './scenario.js';
import type { Tally } from './tally.js';

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
];
export const NOT_CHECKED = {
  I8: 'files appear whole in this store by construction',
  I15: 'no key exists here',
  I16: 'no histories are stored here',
  I18: 'nothing is connected here',
  I20: 'budgets are not drawn yet',
};

export function summaryOf(tally: Tally, broken: Assumption | undefined, seconds: number) {
  const { failed, timesMs, settled, verdicts, ...counts } = tally;
  const share = ({ cases, settled: done }: { cases: number; settled: number }) => ({
    cases,
    settled: done,
    share: cases === 0 ? null : round(done / cases, 4),
  });
  return {
    broken: broken ?? null,
    ...counts,
    virtualHours: round(tally.virtualMs / 3_600_000, 1),
    ambiguousShare: round(tally.ambiguous / Math.max(1, tally.submits), 4),
    verdicts,
    settled: { exactPrices: share(settled.exact), priceRanges: share(settled.range) },
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
      .join(', ')}`,
    `  settled   exact prices ${percent(settled.exactPrices.share)} of ${settled.exactPrices.cases}, price ranges ${percent(settled.priceRanges.share)} of ${settled.priceRanges.cases} (exclusive accounts)`,
    `  median s  ${Object.entries(summary.medianSecondsToVerdict)
      .map(([charge, seconds]) => `${charge} ${seconds ?? '-'}`)
      .join(', ')}`,
    `  checked   ${CHECKED.join(' ')}; ${tally.replayed} seeds played twice, ${tally.differing.length} differed`,
    `  breaches  ${breaches.length === 0 ? 'none' : breaches.join(', ')}`,
    ...tally.failed
      .slice(0, 3)
      .flatMap(({ seed, hash, violations, history }) => [
        `  seed ${seed} (${hash}): ${violations.map(({ rule, what }) => `${rule} ${what}`).join('; ')}`,
        ...history.map((line) => `    ${line}`),
      ]),
  ].join('\n');
}

function median(times: number[]): number | null {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? null : Math.round(middle / 1_000);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
