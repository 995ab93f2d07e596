import { PAUSE_MAX_MS, REFUSALS_MAX } from '../domain/turned-away.js';

const SLOWED_BY = 10;
/** Whether a submit passes is known by then, unless none is sent any more. Service time. */
const SLOW_FOR_MS = 2 * PAUSE_MAX_MS;

/** The requests per minute that are made: the plan's, and a tenth of them while the service turns submits away for their rate. */
export interface Pace {
  plan(rpm: number): void;
  /** A submit was answered that was sent at that time. */
  answered(isTurnedAway: boolean, sentMs: number): void;
}

/** `now` is a clock that never jumps, as `sentMs` is read from it. */
export function createPace(setRpm: (rpm: number) => void, timeScale: number, now: () => number): Pace {
  let planned: number | undefined;
  let refusals = 0;
  let countedMs = Number.NEGATIVE_INFINITY;
  let ends: NodeJS.Timeout | undefined;
  const say = (): void => {
    if (planned === undefined) return;
    setRpm(refusals < REFUSALS_MAX ? planned : Math.max(1, Math.floor(planned / SLOWED_BY)));
  };
  const count = (times: number): void => {
    const wasSlow = refusals >= REFUSALS_MAX;
    refusals = times;
    if (wasSlow !== times >= REFUSALS_MAX) say();
  };
  return {
    plan(rpm) {
      planned = rpm;
      say();
    },
    answered(isTurnedAway, sentMs) {
      // What left before the last refusal was known is of the same burst, and says nothing of the time after it.
      if (sentMs < countedMs) return;
      clearTimeout(ends);
      count(isTurnedAway ? refusals + 1 : 0);
      if (!isTurnedAway) return;
      countedMs = now();
      ends = setTimeout(() => count(0), SLOW_FOR_MS / timeScale).unref();
    },
  };
}
