import { setTimeout as sleep } from 'node:timers/promises';
import type { Sent } from './send.js';

/** Notices on their way: a few at once, and one of each target, so that a target that hangs keeps no other one waiting. */
export interface Sends {
  /** Begins to send the first notice of a line; false where that has to wait for another one to arrive. */
  begin(line: SendLine, send: () => Promise<Sent>): boolean;
  isUnderWay(place: string): boolean;
  /** How the notice of a line was sent, told once; undefined while that is not known. */
  take(place: string): Ended | undefined;
  /** Forgets how notices of other lines were sent. */
  keepOnly(places: ReadonlySet<string>): void;
  count(): number;
  /** Resolves when one more is sent. */
  next(): Promise<unknown>;
}

export interface SendLine {
  /** Batch and target. */
  place: string;
  mark: string;
  /** Of the notice. */
  key: string;
}

interface Ended {
  key: string;
  sent: Sent;
}

const AT_ONCE_MAX = 8;

export function createSends(): Sends {
  /** By target. */
  const underWay = new Map<string, { place: string; ended: Promise<void> }>();
  const ended = new Map<string, Ended>();
  return {
    begin: ({ place, mark, key }, send) => {
      if (underWay.size >= AT_ONCE_MAX || underWay.has(mark)) return false;
      const end = (sent: Sent): void => {
        underWay.delete(mark);
        ended.set(place, { key, sent });
      };
      underWay.set(mark, { place, ended: send().then(end, (why) => end({ sent: 'again', why: String(why) })) });
      return true;
    },
    isUnderWay: (place) => [...underWay.values()].some((one) => one.place === place),
    take: (place) => {
      const found = ended.get(place);
      ended.delete(place);
      return found;
    },
    keepOnly: (places) => {
      for (const place of ended.keys()) if (!places.has(place)) ended.delete(place);
    },
    count: () => underWay.size,
    next: () => Promise.race([...underWay.values()].map((one) => one.ended)),
  };
}

/** `over` after so long; it keeps no process from ending. */
export function patience(ms: number): Promise<'over'> {
  return sleep(ms, 'over', { ref: false });
}
