import type { JobKey } from '../contract/semaphore.js';
import type { LateHandleInput, RowRef } from '../contract/workflows.js';
import { standingOf } from '../domain/standing.js';
import { hasLostAnswer } from '../home/attempts.js';
import type { Callbacks, CalledAttempt } from '../home/handles.js';
import { adapterFor } from '../kinds/index.js';
import type { CallbackDesk } from './receiver.js';

/** Turns what a callback says of an attempt into a hint: ask now, or here may be the handle that was lost. */

export interface CallbackMessenger {
  /** Tells a row's open job that there is news of its attempt; false when no job is open. */
  callbackCame(job: JobKey, message: { n: number }): Promise<boolean>;
  /** Has a handle confirmed for a row whose job has ended. */
  confirmLate(input: LateHandleInput): Promise<void>;
}

export interface CallbackDeskOptions {
  account: string;
  callbacks: Callbacks;
  messenger: CallbackMessenger;
  timeScale: number;
  log: { info(facts: Record<string, unknown>, message: string): void };
  onError(error: unknown): void;
}

/** The documented shortest gap between polls: asking more often is no use. */
const GAP_MS = 5_000;
/** So many attempts are remembered at once. */
const PACED_MAX = 10_000;

export function createCallbackDesk(options: CallbackDeskOptions): CallbackDesk {
  const { callbacks, log } = options;
  const pace = createPacer(GAP_MS / options.timeScale, options.onError);
  return {
    async open(token) {
      const called = await callbacks.find(token);
      if (called === undefined) return undefined;
      return async (body) => {
        const { id, n } = called.ref;
        log.info({ account: options.account, id, n, standing: standingOf(called.attempt) }, 'a callback came');
        if (await isNews(options, called, body)) pace(token, () => tell(options, token));
      };
    },
  };
}

/** Whether it is worth asking now; keeps the handles that the body names where one is missing. */
async function isNews(
  { callbacks }: CallbackDeskOptions,
  { attempt, intent }: CalledAttempt,
  body: Uint8Array,
): Promise<boolean> {
  const standing = standingOf(attempt);
  if (standing !== 'claimed' && !hasLostAnswer(attempt)) return standing === 'created';
  const adapter = adapterFor(intent.kind);
  const handles = (adapter.flow === 'async' && adapter.callbackHandles?.(body)) || [];
  for (const handle of handles) await callbacks.noteHandle(intent, handle, Date.now());
  return handles.length > 0;
}

/** Looks where the attempt stands once its handle is kept: an answer that was lost meanwhile may not have seen it. */
async function tell(options: CallbackDeskOptions, token: string): Promise<void> {
  const { account, callbacks, messenger, timeScale } = options;
  const called = await callbacks.find(token);
  if (called === undefined) return;
  const { ref, intent } = called;
  const standing = standingOf(called.attempt);
  if (standing !== 'created' && !hasLostAnswer(called.attempt)) return;
  // A job whose case is settled hears this without asking any more.
  const mayAsk = standing === 'created' || standing === 'open_case';
  const heard = mayAsk && (await messenger.callbackCame({ batch: ref.batch, id: ref.id }, { n: ref.n }));
  if (heard || standing === 'created') return;
  const { generation, part, index } = intent;
  const row: RowRef = { batch: ref.batch, generation, part, index, id: ref.id, kind: intent.kind };
  await messenger.confirmLate({ account, row, n: ref.n, timeScale });
}

/** At most one message per attempt and gap; what comes in between is sent at the end of the gap, once. */
function createPacer(gapMs: number, onError: (error: unknown) => void) {
  const next = new Map<string, { atMs: number; isPending: boolean }>();
  return (name: string, send: () => Promise<void>): void => {
    const known = next.get(name) ?? { atMs: 0, isPending: false };
    if (known.isPending) return;
    if (next.size >= PACED_MAX && !next.has(name)) next.clear();
    next.set(name, known);
    const go = (): void => {
      known.atMs = performance.now() + gapMs;
      known.isPending = false;
      send().catch(onError);
    };
    const waitMs = known.atMs - performance.now();
    known.isPending = waitMs > 0;
    if (known.isPending) setTimeout(go, waitMs).unref();
    else go();
  };
}
