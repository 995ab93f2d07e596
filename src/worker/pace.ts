/** Submits that are turned away for their rate so often in a row pause the account (docs/guarantees.md, T4). */
const REFUSALS_MAX = 5;
const SLOWED_BY = 10;
/** Twice the longest pause, service time: whether a submit passes is known by then, unless none is sent any more. */
const SLOW_FOR_MS = 600_000;

/** The requests per minute that are made: the plan's, and a tenth of them while the service turns submits away for their rate. */
export interface Pace {
  plan(rpm: number): void;
  /** A submit was answered. */
  answered(isTurnedAway: boolean): void;
}

export function createPace(setRpm: (rpm: number) => void, timeScale: number): Pace {
  let planned: number | undefined;
  let refusals = 0;
  let ends: NodeJS.Timeout | undefined;
  const say = (): void => {
    if (planned === undefined) return;
    setRpm(refusals < REFUSALS_MAX ? planned : Math.max(1, Math.floor(planned / SLOWED_BY)));
  };
  const refuse = (times: number): void => {
    const wasSlow = refusals >= REFUSALS_MAX;
    refusals = times;
    if (wasSlow !== times >= REFUSALS_MAX) say();
  };
  return {
    plan(rpm) {
      planned = rpm;
      say();
    },
    answered(isTurnedAway) {
      clearTimeout(ends);
      refuse(isTurnedAway ? refusals + 1 : 0);
      if (isTurnedAway) ends = setTimeout(() => refuse(0), SLOW_FOR_MS / timeScale).unref();
    },
  };
}
