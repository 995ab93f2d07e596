import type { Attempt, AttemptRef, AttemptState, Intent } from '../domain/attempt.js';
import { intentOf, standingOf } from '../domain/standing.js';
import { decodeJson, encodeAs, encodeJson } from '../store/json-file.js';
import type { Store } from '../store/port.js';
import { attemptStateSchema, type OpenFacts, openFactsOf, openFactsSchema } from './attempt-schema.js';
import { isDecidedAnew, type LoadedAttempt, loadAttempt, loadAttempts, transitionOf } from './attempts.js';
import { callbackEntries } from './handles.js';
import { type HomeKeys, type HomePlace, homeKeys } from './home-keys.js';
import { parseIndexKey } from './parse-keys.js';

/** The write-ahead record of every attempt: the one arbiter of who may send a paid request. */

const APPEND_RACES_MAX = 100;

/** An attempt that may still cost or still run. The index may be late: read the attempt before acting on it. */
export type OpenAttempt = AttemptRef & OpenFacts;

export type Ledger = ReturnType<typeof createLedger>;

export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  constructor(
    readonly code: 'NO_CLAIM' | 'CONTRADICTION' | 'CONTENTION',
    message: string,
    readonly ref: AttemptRef,
  ) {
    super(message);
  }
}

interface OpenLedger extends HomePlace {
  /** Claims of this process that nothing was appended to yet: their next record needs no look at what is there. */
  fresh: Map<string, Intent>;
}

/** The ledger of one account in its home. Any number of processes may use it at once. */
export function createLedger(store: Store, account: string) {
  const home: OpenLedger = { store, keys: homeKeys(account), fresh: new Map() };
  return {
    /**
     * Takes the attempt's place, durably, with its entry in the open-attempt index; false when the place is taken.
     * Nothing may be sent before it returned true; when it throws, nothing may be sent.
     */
    claim: (ref: AttemptRef, intent: Intent): Promise<boolean> => claim(home, ref, intent),
    /** Writes `void` in the claim's own place. True proves that nobody sent this attempt and nobody will. */
    voidClaim: (ref: AttemptRef, why: string, place: { atMs: number }): Promise<boolean> =>
      voidClaim(home, ref, why, place.atMs),
    /**
     * Appends a state; true when it now stands, false when the ledger knew as much already (the later state wins).
     * With `seen` it is appended only where nothing was recorded since then. Throws a LedgerError when there is no claim
     * or when the state contradicts what is recorded.
     */
    append: (ref: AttemptRef, state: AttemptState, seen?: Attempt): Promise<boolean> => append(home, ref, state, seen),
    /** All attempts of a row, by number; empty when none was claimed. */
    read: async (batch: string, id: string): Promise<Attempt[]> =>
      (await loadAttempts(store, home.keys, batch, id)).map(withoutSeq),
    /** One attempt, undefined when its place is free. */
    readAttempt: async (ref: AttemptRef): Promise<Attempt | undefined> => {
      const attempt = await loadAttempt(store, home.keys, ref);
      return attempt === undefined ? undefined : withoutSeq(attempt);
    },
    /** The account's attempts that were not closed. */
    open: (): AsyncIterable<OpenAttempt> => openAttempts(home),
    /** Whether the attempt stands in the open-attempt index. */
    isListed: async (ref: AttemptRef): Promise<boolean> => (await store.size(home.keys.open(ref))) !== undefined,
    /** Takes the attempt out of the open-attempt index; its records stay. */
    close: (ref: AttemptRef): Promise<void> => store.remove(home.keys.open(ref)),
  };
}

async function claim({ store, keys, fresh }: OpenLedger, ref: AttemptRef, intent: Intent): Promise<boolean> {
  // The index entry is visible first: a claim that nobody would find after a crash must not exist.
  const [listed, claimed] = await store.putAllIfAbsent([
    { key: keys.open(ref), bytes: encodeJson(openFactsOf(intent)) },
    { key: keys.attempt(ref, 0), bytes: encodeJson(intent) },
    ...callbackEntries(keys, ref, intent),
  ]);
  if (claimed === true) {
    fresh.set(nameOf(ref), intent);
    return true;
  }
  if (listed === true) {
    // The place's owner has closed or voided it, or races with us: only then our new entry says something.
    const attempt = await loadAttempt(store, keys, ref);
    const isLive = attempt === undefined || ['claimed', 'created', 'open_case'].includes(standingOf(attempt));
    if (!isLive) await store.remove(keys.open(ref));
  }
  return false;
}

async function voidClaim({ store, keys }: HomePlace, ref: AttemptRef, why: string, atMs: number): Promise<boolean> {
  const state: AttemptState = { state: 'void', atMs, why };
  const voided = await store.putIfAbsent(keys.attempt(ref, 0), encodeJson(state));
  // A claimer that died between its two writes has left its index entry behind.
  if (voided) await store.remove(keys.open(ref));
  return voided;
}

async function append(home: OpenLedger, ref: AttemptRef, state: AttemptState, seen?: Attempt): Promise<boolean> {
  const { store, keys } = home;
  for (let race = 0; race < APPEND_RACES_MAX; race++) {
    const attempt = takeFresh(home, ref) ?? (await loadAttempt(store, keys, ref));
    if (attempt === undefined) throw new LedgerError('NO_CLAIM', `${nameOf(ref)} has no claim`, ref);
    if (seen !== undefined && attempt.states.length !== seen.states.length) return false;
    const transition = transitionOf(attempt.states, state);
    if (transition === 'adds_nothing') return false;
    if (transition === 'contradicts') {
      const last = attempt.states.at(-1)?.state ?? 'intent';
      throw new LedgerError('CONTRADICTION', `${nameOf(ref)} is '${last}'; '${state.state}' cannot follow`, ref);
    }
    if (isDecidedAnew(attempt.states, state)) await refuseFollowed(home, ref, state);
    if (await store.putIfAbsent(keys.attempt(ref, attempt.nextSeq), encodeAs(attemptStateSchema, state))) return true;
  }
  throw new LedgerError('CONTENTION', `${nameOf(ref)} is written by too many at once`, ref);
}

/** The next attempt was claimed already: what a person saw of this one is no longer what the row stands for. */
async function refuseFollowed({ store, keys }: HomePlace, ref: AttemptRef, { state }: AttemptState): Promise<void> {
  const n = ref.n + 1;
  if ((await loadAttempt(store, keys, { ...ref, n })) === undefined) return;
  throw new LedgerError('CONTRADICTION', `attempt ${n} followed ${nameOf(ref)}; '${state}' cannot follow`, ref);
}

/** What this process claimed and has not appended to, once: if someone else did meanwhile, the place is taken. */
function takeFresh({ fresh }: OpenLedger, ref: AttemptRef): LoadedAttempt | undefined {
  const intent = fresh.get(nameOf(ref));
  if (intent === undefined) return undefined;
  fresh.delete(nameOf(ref));
  return { n: ref.n, states: [intent], torn: false, nextSeq: 1 };
}

async function* openAttempts({ store, keys }: HomePlace): AsyncIterable<OpenAttempt> {
  for await (const key of store.list(keys.opens)) {
    const ref = parseIndexKey(keys.opens, key);
    const bytes = ref === undefined ? undefined : await store.get(key);
    if (ref === undefined || bytes === undefined) continue;
    const facts = decodeJson(openFactsSchema, bytes) ?? (await factsOfClaim(store, keys, ref));
    if (facts !== undefined) yield { ...ref, ...facts };
  }
}

/** For an index entry that was torn: the claim says the same. Without a claim nothing was sent. */
async function factsOfClaim(store: Store, keys: HomeKeys, ref: AttemptRef) {
  const attempt = await loadAttempt(store, keys, ref);
  const intent = attempt && intentOf(attempt);
  return intent && openFactsOf(intent);
}

function withoutSeq({ n, states, torn }: LoadedAttempt): Attempt {
  return { n, states, torn };
}

function nameOf(ref: AttemptRef): string {
  return `attempt ${ref.n} of row '${ref.id}' in batch '${ref.batch}'`;
}
