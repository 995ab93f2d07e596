/**
 * Assumptions drawn from a seed, from ranges of the emulator's own. Each reaches to the edge of what a careful client
 * could still claim to bear, so that a bound which holds here was tried and not copied.
 */
import type { Assumptions, ChargeAt, Range } from './assumptions.js';
import { type Family, perFamily } from './families.js';
import { createRandom, type Random } from './random.js';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** The longest render that is drawn; clips run past their documented end of 120 s and are then answered 504. */
const RENDER_SECONDS_MAX: Readonly<Record<Family, number>> = {
  'svc/image': 15 * MINUTE,
  'svc/edit': 15 * MINUTE,
  'svc/clip': 130,
  'svc/animation': 130,
  'vendor-a': HOUR,
  'vendor-b': 0,
  'vendor-c': HOUR,
  'vendor-g': HOUR,
  'vendor-d': HOUR,
  'vendor-e': HOUR,
  'vendor-f': 30 * MINUTE,
  'vendor-f/interaction': 15 * MINUTE,
};

/** Draws every assumption; what the documents or the client's own claims fix stays as it is in `calm`. */
export function drawAssumptions(seed: number, calm: Assumptions): Assumptions {
  // A source for each, so that one more assumption leaves what a seed draws for the others as it is.
  const about = (name: string): Random => createRandom(seed, `assumption ${name}`);
  return {
    ...calm,
    ...drawnTimes(about, calm),
    ...drawnMoney(about),
    clipFramesOff: about('frames').whole(0, 23),
    speechCharactersPerSecond: about('speech').between(5, 25),
    unseenReferenceSeconds: [2, about('references').between(2, 15)],
    unseenDriverSeconds: [1, about('drivers').between(1, 30)],
    megabyteBytes: about('MB').pick([1_000_000, 1024 * 1024]),
    refusedRequestsCount: about('429').next() < 0.5,
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

function drawnTimes(about: (name: string) => Random, calm: Assumptions): Times {
  const render = (family: Family): Range => {
    const [min, max] = calm.renderSeconds[family];
    const longest = Math.max(max, RENDER_SECONDS_MAX[family]);
    return max === 0 ? [0, 0] : [min, skewed(about(`render ${family}`), max, longest)];
  };
  return {
    renderSeconds: perFamily(render),
    avatarSecondsPerSecond: [1, skewed(about('avatar factor'), 2, 20)],
    avatarSeconds: [5, skewed(about('avatar'), 10, HOUR)],
    refundSeconds: [0, skewed(about('refund'), 1, 30 * MINUTE)],
    followUpSeconds: [0, skewed(about('follow-up'), 1, 30 * MINUTE)],
    lateCreationSeconds: [0, 180],
  };
}

type Money = Pick<
  Assumptions,
  'chargeAt' | 'balanceLagSeconds' | 'balanceReads' | 'balanceDecimals' | 'chargeDecimals' | 'rounding'
>;

function drawnMoney(about: (name: string) => Random): Money {
  return {
    chargeAt: perFamily((family) => chargeAt(family, about(`charge ${family}`))),
    balanceLagSeconds: about('lag').next() < 0.25 ? 120 : about('lag').between(0, 120),
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
  return random.next() < 0.25 ? max : min * (max / min) ** random.next();
}
