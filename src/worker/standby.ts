import type { Standby } from '../../activities/dependencies.js';
import type { Granted, Heir, JobKey, NamedHeirs } from '../contract/semaphore.js';

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
  const slots = openSlots();

  return {
    hasRoom() {
      for (const kept of [early, beginning]) {
        for (const [name, { atMs }] of kept) if (monotonic() - atMs > KEPT_MS) kept.delete(name);
      }
      return waiting.size + early.size + beginning.size < STANDING_BY_MAX;
    },
    begin(job) {
      early.delete(nameOf(job));
      slots.forget(job);
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
      slots.hold(granted.grant);
      tell(nameOf(job), granted);
    },
    nameHeirs: (named) => slots.name(named),
    takeHeir: (grant) => slots.take(grant, ({ job }) => waiting.has(nameOf(job))),
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

/** Grants that went back are remembered, as a word of who is next may have been on its way meanwhile. */
const GONE_MAX = 1_000;

/** Who is next, and which slots may be handed on: each once, whoever gives it back a second time. */
function openSlots() {
  let heirs: readonly Heir[] = [];
  const held = new Set<number>();
  const gone = new Set<number>();

  return {
    name(named: NamedHeirs): void {
      heirs = named.heirs;
      held.clear();
      for (const grant of named.held) this.hold(grant);
    },
    hold(grant: number): void {
      if (!gone.has(grant)) held.add(grant);
    },
    take(grant: number, standsBy: (heir: Heir) => boolean): Heir | undefined {
      gone.add(grant);
      const [oldest = grant] = gone;
      if (gone.size > GONE_MAX) gone.delete(oldest);
      const next = held.delete(grant) ? heirs.find(standsBy) : undefined;
      heirs = heirs.filter((heir) => heir !== next);
      return next;
    },
    /** What was said of an earlier job of the row is not this one's. */
    forget(job: JobKey): void {
      heirs = heirs.filter((heir) => nameOf(heir.job) !== nameOf(job));
    },
  };
}

function nameOf({ batch, id }: JobKey): string {
  return `${batch}/${id}`;
}
