import { type Due, popFirst, pushEntry } from '../../emulator/model/clock.js';

/** The one virtual clock and the one queue of events: everything that ever happens in a seed is an event here. */

/**
 * What an event leaves to do once every promise that it moved has come to rest; it may leave more again. An event
 * touches one actor alone, so that whatever runs until then belongs to that actor.
 */
export type AfterRest = (() => AfterRest | undefined) | undefined;
// biome-ignore lint/suspicious/noConfusingVoidType: most events leave nothing to do and say nothing.
export type EventWork = () => AfterRest | undefined | void;

interface Entry extends Due {
  work: EventWork | undefined;
}

export interface Scheduler {
  /** Virtual ms since the start of the seed. */
  now(): number;
  /** Events so far. */
  count(): number;
  /** Runs the work after a time; gives back what cancels it. */
  after(delayMs: number, work: EventWork): () => void;
  /** Works through events until the time is over, nothing is left, or `isOver` says so. */
  run(untilMs: number, isOver: () => boolean): Promise<void>;
}

/** `beforeEach` runs before every event: whoever acted last does not act in the next one. */
export function createScheduler(beforeEach: () => void): Scheduler {
  const heap: Entry[] = [];
  let nowMs = 0;
  let order = 0;
  let count = 0;
  return {
    now: () => nowMs,
    count: () => count,
    after(delayMs, work) {
      const entry: Entry = { dueMs: nowMs + Math.max(0, delayMs), order: order++, work };
      pushEntry(heap, entry);
      return () => {
        entry.work = undefined;
      };
    },
    run: (untilMs, isOver) =>
      new Promise((resolve, reject) => {
        const step = (rest: AfterRest): void => {
          try {
            const left = rest === undefined ? nextEvent() : rest();
            if (left === 'over') resolve();
            // The microtask comes after all that the event set free; the tick then starts the next event.
            else queueMicrotask(() => process.nextTick(step, left));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        };
        const nextEvent = (): AfterRest | 'over' => {
          for (;;) {
            const first = heap[0];
            if (first === undefined || first.dueMs > untilMs || isOver()) return 'over';
            popFirst(heap);
            if (first.work === undefined) continue;
            nowMs = first.dueMs;
            count += 1;
            beforeEach();
            return first.work() ?? undefined;
          }
        };
        process.nextTick(step, undefined);
      }),
  };
}
