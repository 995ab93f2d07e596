import type { Broken } from './account.js';
import type { Breach, JudgedCase, Played } from './play.js';

/** Sums over many histories: plain data, so that processes can hand theirs over. */
export interface Tally {
  histories: number;
  /** Readings whose truth was looked for among the explanations. */
  looks: number;
  cases: Record<string, Record<JudgedCase['verdict'], number>>;
  settledByGroup: number;
  breaches: Record<Breach['rule'], number>;
  /** The first few. */
  examples: Breach[];
}

const EXAMPLES_MAX = 10;

export function newTally(): Tally {
  const none = () => ({ billed: 0, not_billed: 0, undecided: 0, open: 0 });
  return {
    histories: 0,
    looks: 0,
    cases: { 'exact alone': none(), 'exact among others': none(), 'range alone': none(), 'range among others': none() },
    settledByGroup: 0,
    breaches: { truth: 0, not_billed: 0, billed: 0, group: 0 },
    examples: [],
  };
}

export function addHistory(tally: Tally, { breaches, cases, looks }: Played): void {
  tally.histories += 1;
  tally.looks += looks;
  for (const { isExact, isAlone, isByGroup, verdict } of cases) {
    const counts = tally.cases[`${isExact ? 'exact' : 'range'} ${isAlone ? 'alone' : 'among others'}`];
    if (counts) counts[verdict] += 1;
    if (isByGroup) tally.settledByGroup += 1;
  }
  for (const breach of breaches) {
    tally.breaches[breach.rule] += 1;
    if (tally.examples.length < EXAMPLES_MAX) tally.examples.push(breach);
  }
}

export function merge(into: Tally, other: Tally): void {
  into.histories += other.histories;
  into.looks += other.looks;
  into.settledByGroup += other.settledByGroup;
  for (const [name, counts] of Object.entries(other.cases)) addUp(into.cases[name] ?? counts, counts);
  addUp(into.breaches, other.breaches);
  into.examples.push(...other.examples.slice(0, EXAMPLES_MAX - into.examples.length));
}

function addUp<Name extends string>(into: Record<Name, number>, other: Record<Name, number>): void {
  for (const name of Object.keys(into) as Name[]) into[name] += other[name];
}

export function summaryOf(tally: Tally, broken: Broken | undefined, seconds: number) {
  const cases = Object.entries(tally.cases).map(([name, counts]) => {
    const { billed, not_billed, undecided, open } = counts;
    const all = billed + not_billed + undecided + open;
    const share = all === 0 ? null : Number(((billed + not_billed) / all).toFixed(4));
    return [name, { ...counts, all, settledShare: share }] as const;
  });
  return {
    broken: broken ?? null,
    ...tally,
    cases: Object.fromEntries(cases),
    seconds: Number(seconds.toFixed(1)),
    historiesPerSecond: Math.round(tally.histories / seconds),
  };
}

export function printSummary({ broken, cases, breaches, examples, ...rest }: ReturnType<typeof summaryOf>): string {
  const percent = (share: number | null): string => (share === null ? '-' : `${(share * 100).toFixed(1)} %`);
  const found = Object.entries(breaches).filter(([, count]) => count > 0);
  return [
    `${broken === null ? 'all assumptions hold' : `broken: ${broken}`}: ${rest.histories} histories, ${rest.looks} readings explained, in ${rest.seconds} s (${rest.historiesPerSecond} a second)`,
    ...Object.entries(cases).map(
      ([name, one]) =>
        `  ${name.padEnd(19)} ${percent(one.settledShare)} of ${one.all} settled: billed ${one.billed}, not billed ${one.not_billed}, undecided ${one.undecided}, open ${one.open}`,
    ),
    `  by group            ${rest.settledByGroup}`,
    `  breaches            ${found.length === 0 ? 'none' : found.map(([rule, count]) => `${rule} ${count}`).join(', ')}`,
    ...examples.map(({ seed, rule, what }) => `    seed ${seed}, ${rule}: ${what}`),
  ].join('\n');
}
