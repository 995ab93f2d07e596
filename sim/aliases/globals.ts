import { EPOCH_MS, inHost, sim } from '../engine/current.js';

/** What the product finds in place of the clock and the timers of Node: the seed's virtual ones. */

const RealDate = globalThis.Date;

class VirtualDate extends RealDate {
  constructor(value?: number | string) {
    super(value ?? VirtualDate.now());
  }
  static override now(): number {
    const { actor, scheduler } = sim();
    return actor?.what === 'activity' ? actor.host.wallMs() : EPOCH_MS + scheduler.now();
  }
}

/** Monotonic, also on a machine whose clock is set. */
const virtualPerformance = { now: (): number => sim().scheduler.now() };

interface Timer {
  isOver: boolean;
}

function virtualInterval(work: () => void, everyMs: number): Timer {
  const timer: Timer = { isOver: false };
  const again = (): void => {
    void inHost(everyMs, () => {
      if (timer.isOver) return;
      work();
      again();
    });
  };
  again();
  return timer;
}

function virtualTimeout(work: () => void, delayMs: number): Timer {
  const timer: Timer = { isOver: false };
  void inHost(delayMs, () => {
    if (!timer.isOver) work();
  });
  return timer;
}

function endTimer(timer: Timer | undefined): void {
  if (timer) timer.isOver = true;
}

export {
  endTimer as clearInterval,
  endTimer as clearTimeout,
  VirtualDate as Date,
  virtualInterval as setInterval,
  virtualPerformance as performance,
  virtualTimeout as setTimeout,
};
