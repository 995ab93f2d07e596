import type { Standby } from '../../activities/dependencies.js';
import type { Granted, JobKey } from '../contract/semaphore.js';

/**
 * More, beside one page of rows that is let in as a whole, would take the places of polls and of submits that have their
 * grant among the activities of a worker.
 */
const STANDING_BY_MAX = 60;
/** So long a place, or a word, is kept for a submit that does not come: its job may have ended, ms. */
const KEPT_MS = 120_000;

type Word = Granted | 'withdrawn';

/** Grants on their way to submits of this process. What is lost with it is told anew, since who stands by asks again. */
export function createStandby(monotonic: () => number): Standby {
  const waiting = new Map<string, (word: Word) => void>();
  /** What came before the submit stood by. */
  const early = new Map<string, { word: Word; atMs: number }>();
  /** Jobs whose submits have not come yet: of many batches that begin at once all would be let in. */
  const beginning = new Map<string, { atMs: number }>();

  return {
    hasRoom() {
      for (const kept of [early, beginning]) {
        for (const [name, { atMs }] of kept) if (monotonic() - atMs > KEPT_MS) kept.delete(name);
      }
      return waiting.size + early.size + beginning.size < STANDING_BY_MAX;
    },
    begin(job) {
      early.delete(nameOf(job));
      beginning.set(nameOf(job), { atMs: monotonic() });
    },
    async wait(job, ms) {
      const name = nameOf(job);
      beginning.delete(name);
      const known = early.get(name)?.word;
      early.delete(name);
      return known ?? nextWord(name, ms);
    },
    give(job, granted) {
      tell(nameOf(job), granted);
    },
    withdraw(job) {
      const known = early.get(nameOf(job))?.word;
      tell(nameOf(job), 'withdrawn');
      return known === undefined || known === 'withdrawn' ? null : known;
    },
  };

  function nextWord(name: string, ms: number): Promise<Word | undefined> {
    return new Promise((resolve) => {
      const end = (word?: Word): void => {
        clearTimeout(timer);
        waiting.delete(name);
        resolve(word);
      };
      const timer = setTimeout(end, ms);
      waiting.set(name, end);
    });
  }

  function tell(name: string, word: Word): void {
    beginning.delete(name);
    const taker = waiting.get(name);
    if (taker) taker(word);
    else early.set(name, { word, atMs: monotonic() });
  }
}

function nameOf({ batch, id }: JobKey): string {
  return `${batch}/${id}`;
}
