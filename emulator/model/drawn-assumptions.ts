/**
 * Assumptions drawn from a seed, from ranges of the emulator's own. Each reaches to the edge of what a careful client
 * could still claim to bear, so that a bound which holds here was tried and not copied.
 */
import { type Assumptions, CALM, type ChargeAt, FAMILIES, type Family, perFamily, type Range } from './assumptions.js';
import { createRandom, type Random } from './random.js';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** How far the draws reach, service seconds: what a client says that it bears. */
export interface Edges {
  balanceLagSeconds: number;
  lateCreationSeconds: number;
  /** Of refunds, and of charges that follow a completion. */
  refundSeconds: number;
  /** The longest render of each family; what an avatar takes at least, whatever it says. */
  renderSeconds: Readonly<Record<Family, number>>;
}

/** Clips run past their documented end of 120 s and are then answered 504. */
const EDGES: Edges = {
  balanceLagSeconds: 120,
  lateCreationSeconds: 180,
  refundSeconds: 30 * MINUTE,
  renderSeconds: {
    'svc/image': 15 * MINUTE,
    'svc/edit': 15 * MINUTE,
    'svc/clip': 130,
    'svc/animation': 130,
    'vendor-a': HOUR,
    'vendor-b': HOUR,
    'vendor-c': HOUR,
    'vendor-g': HOUR,
    'vendor-d': HOUR,
    'vendor-e': HOUR,
    'vendor-f': 30 * MINUTE,
    'vendor-f/interaction': 15 * MINUTE,
  },
};

/** Draws every assumption; what the documents fix stays as it is where all is calm. */
export function drawAssumptions(seed: number, edges: Edges = EDGES): Assumptions {
  // A source for each, so that one more assumption leaves what a seed draws for the others as it is.
  const about = (name: string): Random => createRandom(seed, `assumption ${name}`);
  return {
    ...CALM,
    ...drawnTimes(about, edges),
    ...drawnMoney(about, edges),
    failedCallsDeducted: about('failed calls').pick([0, 0.5, 1]),
    tokenFactor: [0.4, about('tokens').between(0.5, 2.7)],
    clipFramesOff: about('frames').whole(0, 23),
    speechCharactersPerSecond: about('speech').between(5, 25),
    unseenReferenceSeconds: [2, about('references').between(2, 15)],
    unseenDriverSeconds: [1, about('drivers').between(1, 30)],
    megabyteBytes: about('MB').pick([1_000_000, 1024 * 1024]),
    refusedRequestsCount: about('429').chance(0.5),
    outputUrlSeconds: skewed(about('output URLs'), HOUR, DAY),
    clipUrlSeconds: skewed(about('clip URLs'), HOUR, 7 * DAY),
    freshUrlSeconds: skewed(about('fresh URLs'), 5 * MINUTE, HOUR),
    handleSeconds: skewed(about('handles'), DAY, 30 * DAY),
  };
}

type Times = Pick<
  Assumptions,
  | 'renderSeconds'
  | 'avatarSecondsPerSecond'
  | 'avatarSeconds'
  | 'refundSeconds'
  | 'followUpSeconds'
  | 'lateCreationSeconds'
>;

function drawnTimes(about: (name: string) => Random, edges: Edges): Times {
  const render = (family: Family): Range => {
    const [min, max] = CALM.renderSeconds[family];
    const longest = Math.max(max, edges.renderSeconds[family]);
    // An avatar's follow from its speech.
    return max === 0 ? [0, 0] : [min, skewed(about(`render ${family}`), max, longest)];
  };
  return {
    renderSeconds: perFamily(render),
    avatarSecondsPerSecond: [1, skewed(about('avatar factor'), 2, 20)],
    avatarSeconds: [5, skewed(about('avatar'), 10, edges.renderSeconds['vendor-b'])],
    refundSeconds: [0, skewed(about('refund'), 1, edges.refundSeconds)],
    followUpSeconds: [0, skewed(about('follow-up'), 1, edges.refundSeconds)],
    lateCreationSeconds: [0, edges.lateCreationSeconds],
  };
}

type Money = Pick<
  Assumptions,
  'chargeAt' | 'balanceLagSeconds' | 'balanceReads' | 'balanceDecimals' | 'chargeDecimals' | 'rounding'
>;

function drawnMoney(about: (name: string) => Random, { balanceLagSeconds: lag }: Edges): Money {
  return {
    chargeAt: perFamily((family) => chargeAt(family, about(`charge ${family}`))),
    balanceLagSeconds: about('lag').chance(0.25) ? lag : about('lag').between(0, lag),
    balanceReads: about('reads').pick(['steady', 'stale', 'scattered']),
    balanceDecimals: about('balance').whole(2, 6),
    chargeDecimals: about('charge').whole(6, 9),
    rounding: about('rounding').pick(['nearest', 'down', 'up']),
  };
}

/**
 * The documents fix three: vendor-f is "reserved at submit"; an avatar is "billed by `duration`", which is known at its
 * end; "the `vendor-d` charge is known at completion". What vendor-e costs is known once its clips were fetched.
 */
function chargeAt(family: Family, random: Random): ChargeAt {
  if (family === 'vendor-f') return 'submit';
  if (family === 'vendor-b' || family === 'vendor-d') return 'completion';
  if (family === 'vendor-e') return random.pick(['between', 'completion']);
  return random.pick(['submit', 'between', 'completion']);
}

/** Mostly small, sometimes up to the very edge: a quarter of all seeds draw `max` itself. */
function skewed(random: Random, min: number, max: number): number {
  return random.chance(0.25) ? max : min * (max / min) ** random.next();
}

/** Every assumption, for the ground truth and for the page that lists them. */
export const ASSUMPTION_NAMES = Object.keys(CALM) as (keyof Assumptions)[];

/** What can be chosen: a seed draws every assumption, and any of them can be given. */
export type AssumptionOptions = { seed?: number } & {
  [Name in keyof Assumptions]?: Assumptions[Name] extends Readonly<Record<Family, infer Value>>
    ? Partial<Record<Family, Value>>
    : Assumptions[Name];
};

/** Calm or drawn values with the given ones in their place; throws one sentence that names what is not possible. */
export function resolveAssumptions({ seed, chargeAt, renderSeconds, ...given }: AssumptionOptions): Assumptions {
  const odd = Object.keys(given).find((name) => !ASSUMPTION_NAMES.some((known) => known === name));
  if (odd !== undefined) throw new Error(`unknown assumption '${odd}'; known: seed, ${ASSUMPTION_NAMES.join(', ')}`);
  for (const name of Object.keys({ ...chargeAt, ...renderSeconds })) {
    if (!FAMILIES.some((family) => family === name)) {
      throw new Error(`unknown family '${name}'; known: ${FAMILIES.join(', ')}`);
    }
  }
  const base = seed === undefined ? CALM : drawAssumptions(seed);
  return {
    ...base,
    ...given,
    chargeAt: { ...base.chargeAt, ...chargeAt },
    renderSeconds: { ...base.renderSeconds, ...renderSeconds },
  };
}
