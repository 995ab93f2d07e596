import type { BatchResult } from '../../contract/workflows.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import type { Status } from '../../domain/outcome.js';
import { type CaseSum, caseJson, type ListedCase } from '../review/case-list.js';
import type { Session } from '../session.js';
import { blockedText } from '../views/blocked.js';
import type { FollowEvent } from './follow.js';
import type { Standstill } from './standstills.js';

/** The JSONL events of `run --json`: each row that finished in this run is told exactly once. */
export interface JsonEvents {
  started(facts: { generation: string; rows: number; toRun: number; out: string }): void;
  follow(event: FollowEvent): void;
  rowFinished(id: string, status: Status, creditsNano: CreditsNano | null, atMs: number): void;
  /** How many rows were told. */
  told(): number;
  finished(result: BatchResult, facts: FinishedFacts): void;
  detached(): void;
}

export interface FinishedFacts {
  out: string;
  exitCode: number;
  /** What the balance lost that nothing known here explains. */
  unattributed?: string;
  /** Rows that need a person, the first ones, and the money at stake in all of them. */
  cases: readonly ListedCase[];
  sum: CaseSum;
}

/** The events of a command with `--json`; undefined without it. */
export function newJsonEvents({ isJson, config, terminal }: Session, batch: string): JsonEvents | undefined {
  if (!isJson) return undefined;
  const names = { batch, account: config.account.name };
  return createJsonEvents(
    names,
    (event) => terminal.json(event),
    () => Date.now(),
  );
}

export function createJsonEvents(
  names: { batch: string; account: string },
  write: (event: object) => void,
  now: () => number,
): JsonEvents {
  const told = new Set<string>();
  const say = (type: string, facts: object, atMs = now()): void => {
    write({ schema: 1, type, at: new Date(atMs).toISOString(), ...names, ...facts });
  };
  const rowFinished: JsonEvents['rowFinished'] = (id, status, creditsNano, atMs) => {
    if (told.has(id)) return;
    told.add(id);
    say('row_finished', { id, status, credits: creditsNano === null ? null : formatCredits(creditsNano) }, atMs);
  };
  return {
    started: (facts) => say('batch_started', facts),
    follow: (event) => {
      if (event.type === 'paused') say('paused', standstill(event), event.sinceMs);
      if (event.type === 'resumed') say('resumed', standstill(event));
      if (event.type !== 'batch') return;
      const { type, id = '', status, verdict, reason, code, creditsNano, atMs } = event.event;
      switch (type) {
        case 'row_finished':
          if (status !== undefined) rowFinished(id, status, creditsNano ?? null, atMs);
          return;
        case 'ambiguous':
          return say(type, { id }, atMs);
        case 'settled':
          return say(type, { id, verdict: verdict ?? null }, atMs);
        case 'paused':
        case 'resumed': {
          const why = code === undefined ? {} : { code, message: blockedText({ id: id || null, code, count: 1 }) };
          return say(type, { reason: reason ?? 'user', ...(id === '' ? {} : { id }), ...why }, atMs);
        }
      }
    },
    rowFinished,
    told: () => told.size,
    finished: ({ counts, creditsNano, creditsUnknown, stopped = null }, { cases, sum, ...facts }) => {
      const { rows, stakeNano, unknown } = sum;
      const review = { rows, at_stake: formatCredits(stakeNano), unknown_rows: unknown, first: cases.map(caseJson) };
      const spent = { credits: formatCredits(creditsNano), creditsUnknown };
      say('batch_finished', { counts, ...spent, stopped, ...facts, review });
    },
    detached: () => say('detached', {}),
  };
}

function standstill({ reason, family, route }: Standstill): object {
  return { reason, ...(family === undefined ? {} : { family }), ...(route === undefined ? {} : { route }) };
}
