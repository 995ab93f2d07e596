import type { AttemptState, Verdict } from '../../src/domain/attempt.js';
import type { DiskWatcher } from '../worker/disk.js';

/** Follows the ledger's files as they are written: I3, and what the other checks ask of claims and verdicts. */

export interface SeenAttempt {
  /** `batch/id`. */
  row: string;
  n: number;
  states: { atMs: number; state: AttemptState }[];
}

export interface SeenVerdict {
  row: string;
  n: number;
  verdict: Verdict;
  claimedAtMs: number;
  atMs: number;
  sentence: string;
  /** Settled by count together with the others of this id. */
  group: string | undefined;
}

export interface LedgerWatch extends DiskWatcher {
  attemptsOf(row: string): SeenAttempt[];
  attempts(): SeenAttempt[];
  /** The group that an attempt was settled in. */
  groupOf(row: string, n: number): string | undefined;
  verdicts: SeenVerdict[];
}

const ATTEMPT = /\/batches\/([^/]+)\/attempts\/[^/]+\/([^/]+)\/(\d+)\.(\d+)\.json$/;

export function createLedgerWatch(
  nowMs: () => number,
  report: (rule: string, what: string) => void,
  trace: (who: string, what: string) => void,
): LedgerWatch {
  const byRow = new Map<string, SeenAttempt[]>();
  const verdicts: SeenVerdict[] = [];

  return {
    verdicts,
    attemptsOf: (row) => byRow.get(row) ?? [],
    attempts: () => [...byRow.values()].flat(),
    groupOf: (row, n) => verdicts.find((one) => one.row === row && one.n === n)?.group,
    onWrite(key, bytes, before) {
      const match = ATTEMPT.exec(key);
      if (!match) return;
      if (before) report('I3', `${key} was written over`);
      const [, batch, id, n, seq] = match;
      enter(`${batch}/${id}`, Number(n), Number(seq), bytes);
    },
    onRemove(key) {
      if (ATTEMPT.test(key)) report('I3', `${key} was removed`);
    },
  };

  function enter(row: string, n: number, seq: number, bytes: Uint8Array): void {
    const state = JSON.parse(Buffer.from(bytes).toString()) as AttemptState;
    const attempts = byRow.get(row) ?? [];
    byRow.set(row, attempts);
    const attempt = attempts.find((one) => one.n === n) ?? { row, n, states: [] };
    if (!attempts.includes(attempt)) attempts.push(attempt);
    if (attempt.states.length !== seq)
      report('I3', `${row} attempt ${n}: record ${seq} follows ${attempt.states.length} others`);
    const isFirst = state.state === 'intent' || state.state === 'void';
    if (isFirst !== (seq === 0)) report('I3', `${row} attempt ${n}: '${state.state}' in place ${seq}`);
    attempt.states.push({ atMs: nowMs(), state });
    if (state.state !== 'verdict') {
      trace('ledger', `${row} ${n} ${state.state}`);
      return;
    }
    const claimedAtMs = attempt.states[0]?.atMs ?? nowMs();
    const { verdict, sentence, group } = state;
    trace(
      'ledger',
      `${row} ${n} verdict ${verdict}${group === undefined ? '' : `, together as ${group}`}: ${sentence}`,
    );
    verdicts.push({ row, n, verdict, claimedAtMs, atMs: nowMs(), sentence, group });
  }
}
