import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { measureCallsheet } from './lib/measure.js';
import { describeScenario, type Scenario } from './lib/scenario.js';

/** Each plan with each kind of work: how near callsheet comes to what slots and requests per minute allow. */

const JOBS = 300;
const PLANS = [
  { plan: 'free', slots: 5, rpm: 60 },
  { plan: 'pro', slots: 10, rpm: 200 },
  { plan: 'enterprise', slots: 20, rpm: 600 },
] as const;
/** Half as much more or less, each length as likely: a coefficient of variation of 0.3. */
const SPREAD = 0.52;
/** A job starts every half second at most, so that two processors are not the limit. */
const JOBS_PER_SECOND = 2;
const SPEED_MAX = 60;

const SYNCHRONOUS = PLANS.flatMap((plan) => [3, 5].map((seconds) => scenarioOf(plan, 'images', seconds, 0, 1)));
const POLLED = PLANS.flatMap((plan) => [60, 180, 600].map((seconds) => scenarioOf(plan, 'films', seconds, SPREAD)));
/** As the service's own clock goes: nothing of what surrounds a render is made to look larger than it is. */
const UNSCALED = [
  scenarioOf(PLANS[1], 'films', 60, SPREAD, 1),
  { ...scenarioOf(PLANS[1], 'images', 3, 0, 1), jobs: 3_000, name: 'pro, images of 3 s, 3,000 jobs' },
];
const SCENARIOS: readonly Scenario[] = [...SYNCHRONOUS, ...POLLED, ...UNSCALED];

export async function scenarios({ runs, only = '' }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const chosen = SCENARIOS.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new Error(`no scenario is named like '${only}'`);
  for (const scenario of chosen) {
    for (let run = 1; run <= runs; run += 1) {
      say(`${scenario.name}: ${run} of ${runs}`);
      measures.addAll(scenario.name, await measureCallsheet(scenario));
    }
  }
  return {
    name: only === '' ? 'scenarios' : `scenarios-${only.replaceAll(/\W+/g, '-')}`,
    settings: Object.fromEntries(chosen.map((one) => [one.name, describeScenario(one)])),
    measures: measures.all(),
  };
}

function scenarioOf(
  { plan, slots, rpm }: (typeof PLANS)[number],
  work: Scenario['work'],
  seconds: number,
  spread: number,
  speed = Math.min(SPEED_MAX, Math.max(1, Math.floor((seconds * JOBS_PER_SECOND) / slots))),
): Scenario {
  const name = `${plan}, ${work} of ${seconds} s${spread > 0 && speed === 1 ? ', unscaled' : ''}`;
  return { name, work, jobs: JOBS, slots, rpm, speed, seconds: [seconds * (1 - spread), seconds * (1 + spread)] };
}
