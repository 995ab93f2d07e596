import type { PauseReason } from '../../contract/semaphore.js';
import type { SemaphoreView } from '../../contract/semaphore-view.js';
import type { BatchEvent, BatchProgress, BatchResult } from '../../contract/workflows.js';
import type { CreditsNano } from '../../domain/money.js';
import { StoreError } from '../../store/port.js';
import { ownPauses, type Sight, type Standstill, standstillsOf } from '../views/troubles.js';
import { type BatchSource, EngineGone, isOutage, reconnect, unlessGone, unlessOutage } from './batch-source.js';

/** Follows a batch until it ends, the user goes away, or a pause lasts too long. Prints nothing itself. */

/** What a view shows at one instant. */
export interface Snapshot extends Sight {
  balanceNano: CreditsNano | undefined;
}

export type FollowEvent =
  | { type: 'batch'; event: BatchEvent }
  | ({ type: 'paused'; sinceMs: number } & Standstill)
  | ({ type: 'resumed' } & Standstill)
  | ({ type: 'lost' } & Pick<Sight, 'lostPlace' | 'lostWhy'>)
  | { type: 'found' };

interface FollowOptions {
  source: BatchSource;
  batch: string;
  /** Events up to this number were there before. */
  afterSeq: number;
  /** How long an account's pause is waited for; null = without end. */
  waitMs: number | null;
  /** Why nothing may answer, as far as this machine knows. */
  trouble(): Promise<string | undefined>;
  onSnapshot(snapshot: Snapshot): void;
  onEvent(event: FollowEvent): void;
  /** False when another folder lies in the place of the home, or nothing, or its copy went on with the batch elsewhere. */
  isHome(): Promise<boolean>;
  /** Hands the batch to a server that has lost it; undefined for a command that only looks on. */
  supplyAgain: (() => Promise<void>) | undefined;
  /** Aborted when the user detaches. */
  signal: AbortSignal;
  now(): number;
  /** Resolves after the time, or at once when the signal is aborted. */
  sleep(ms: number): Promise<void>;
}

export type FollowEnd =
  | { end: 'ended'; result: BatchResult }
  | { end: 'detached'; last: Snapshot | undefined }
  | { end: 'paused_too_long'; reason: AccountPause; last: Snapshot }
  | { end: 'broken'; word: string }
  | { end: 'other_home' }
  /** A person ended the engine. */
  | { end: 'stopped' };

/** A pause that is waited for only so long. */
type AccountPause = Exclude<PauseReason['reason'], 'user' | 'network'>;

const ANSWERED = { lostSinceMs: undefined, lostPlace: 'work', lostWhy: undefined } as const;
const LOOK_EVERY_MS = 500;
const BALANCE_EVERY_MS = 5_000;
const STATE_EVERY_MS = 2_000;
/** A restarted worker or server is back before this; then the connection is made anew. */
const RECONNECT_AFTER_MS = 5_000;

export async function followBatch(options: FollowOptions): Promise<FollowEnd> {
  const { source, signal, now } = options;
  const seen: Seen = {
    seq: options.afterSeq,
    standstills: new Map(),
    balanceAtMs: Number.NEGATIVE_INFINITY,
    stateAtMs: 0,
  };
  let last: Snapshot | undefined;
  let lostSinceMs: number | undefined;
  let reconnectAtMs = 0;
  // Someone who detaches does not wait for a look that hangs.
  const detached = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  while (!signal.aborted) {
    try {
      const look = await Promise.race([unlessGone(source, lookOnce(options, seen, last)), detached]);
      if (look === undefined) break;
      if (lostSinceMs !== undefined) options.onEvent({ type: 'found' });
      lostSinceMs = undefined;
      if (look.snapshot !== undefined) last = look.snapshot;
      if (look.end !== undefined) return look.end;
    } catch (error) {
      if (signal.aborted) break;
      if (!isOutage(error)) throw error;
      const lost = await whatIsLost(options, error);
      if (lostSinceMs === undefined) options.onEvent({ type: 'lost', ...lost });
      lostSinceMs ??= now();
      if (last !== undefined) options.onSnapshot({ ...last, atMs: now(), lostSinceMs, ...lost });
      const isGone = error instanceof EngineGone;
      if (now() >= Math.max(reconnectAtMs, lostSinceMs + (isGone ? 0 : RECONNECT_AFTER_MS))) {
        reconnectAtMs = now() + RECONNECT_AFTER_MS;
        // A new connection may start an engine: never one in a folder that knows nothing of what was submitted.
        if ((await unlessOutage(options.isHome())) === false) return { end: 'other_home' };
        if ((await Promise.race([reconnect(source), detached])) === 'stopped') return { end: 'stopped' };
      }
    }
    await options.sleep(LOOK_EVERY_MS);
  }
  return { end: 'detached', last };
}

interface Seen {
  seq: number;
  /** What keeps grants back, by its name, and when it was first seen. */
  standstills: Map<string, Standstill & { seenAtMs: number }>;
  balanceNano?: CreditsNano | undefined;
  balanceAtMs: number;
  stateAtMs: number;
}

interface Look {
  snapshot?: Snapshot;
  end?: FollowEnd;
}

/** A home in trouble says so itself; of a worker or server only this machine may know something. */
async function whatIsLost({ trouble }: FollowOptions, error: unknown): Promise<Pick<Sight, 'lostPlace' | 'lostWhy'>> {
  if (error instanceof StoreError) return { lostPlace: 'home', lostWhy: error.message };
  return { lostPlace: 'work', lostWhy: await trouble() };
}

async function lookOnce(options: FollowOptions, seen: Seen, last: Snapshot | undefined): Promise<Look> {
  const { source, now } = options;
  const progress = await source.progress();
  if (progress !== undefined) tellEvents(options, seen, progress);
  const mayHaveEnded = progress === undefined || progress.phase === 'ended' || progress.phase === 'writing results';
  if (mayHaveEnded || now() - seen.stateAtMs >= STATE_EVERY_MS) {
    seen.stateAtMs = now();
    const state = await source.state();
    if (state.state === 'ended') return { end: { end: 'ended', result: state.result } };
    if (state.state === 'broken') return { end: { end: 'broken', word: state.word } };
    if (state.state === 'absent') return whenAbsent(options, seen, last);
    if (progress?.phase === 'paused' && !(await options.isHome())) return { end: { end: 'other_home' } };
  }
  if (progress === undefined) return last === undefined ? {} : { snapshot: last };
  const slots = ownPauses(await source.slots(), options.batch);
  if (now() - seen.balanceAtMs >= BALANCE_EVERY_MS) {
    seen.balanceAtMs = now();
    seen.balanceNano = await source.balance();
  }
  const snapshot: Snapshot = { atMs: now(), progress, slots, balanceNano: seen.balanceNano, ...ANSWERED };
  options.onSnapshot(snapshot);
  tellStandstills(options, seen, slots);
  const reason = pausedTooLong(options, seen, progress);
  return reason === undefined ? { snapshot } : { snapshot, end: { end: 'paused_too_long', reason, last: snapshot } };
}

/** The server has forgotten the batch. With its home in place nothing is lost: the ledger says what was submitted. */
async function whenAbsent(options: FollowOptions, seen: Seen, last: Snapshot | undefined): Promise<Look> {
  if (!(await options.isHome())) return { end: { end: 'other_home' } };
  if (options.supplyAgain === undefined) return { end: { end: 'broken', word: 'gone' } };
  await options.supplyAgain();
  seen.seq = 0;
  return last === undefined ? {} : { snapshot: last };
}

function tellEvents(options: FollowOptions, seen: Seen, { events }: BatchProgress): void {
  for (const event of events) {
    if (event.seq <= seen.seq) continue;
    seen.seq = event.seq;
    options.onEvent({ type: 'batch', event });
  }
}

/** What keeps grants back for the whole account; a batch's pause by its user comes as an event of the batch. */
function tellStandstills(options: FollowOptions, seen: Seen, slots: SemaphoreView | undefined): void {
  if (slots === undefined) return;
  const current: Seen['standstills'] = new Map();
  for (const { sinceMs, ...standstill } of standstillsOf(slots, options.now())) {
    const name = `${standstill.reason} ${standstill.family ?? standstill.route ?? ''}`;
    const known = seen.standstills.get(name);
    current.set(name, { ...standstill, seenAtMs: known?.seenAtMs ?? options.now() });
    // A batch's own pause for its outputs comes as its event.
    if (known || standstill.reason === 'outputs') continue;
    options.onEvent({ type: 'paused', sinceMs, ...standstill });
  }
  for (const [name, { seenAtMs: _, ...standstill }] of seen.standstills) {
    if (!current.has(name) && standstill.reason !== 'outputs') options.onEvent({ type: 'resumed', ...standstill });
  }
  seen.standstills = current;
}

/** Measured from when this command first saw the pause: an old one is given its time again. */
function pausedTooLong({ waitMs, now }: FollowOptions, seen: Seen, progress: BatchProgress): AccountPause | undefined {
  if (waitMs === null || progress.phase === 'ended') return undefined;
  for (const { reason, seenAtMs } of seen.standstills.values()) {
    if (reason === 'quiet' || reason === 'breaker' || reason === 'paced') continue;
    // Neither its user nor a network that is away asks for anybody: both go on by themselves or by an order.
    if (reason === 'user' || reason === 'network') continue;
    if (now() - seenAtMs >= waitMs) return reason;
  }
  return undefined;
}
