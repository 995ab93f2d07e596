import type { BatchProgress, BatchResult } from '../../contract/workflows.js';
import { defined } from '../../domain/defined.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { orderWords } from '../../domain/order-words.js';
import type { RowRecord, Status } from '../../domain/outcome.js';
import type { BatchPlace } from '../access/home-access.js';
import { commandHint } from '../open-session.js';
import { createFileInWay } from '../plan/file-in-way.js';
import { type CaseSum, caseJson, type ListedCase } from '../review/case-list.js';
import { creditsJson } from '../views/counts.js';
import { blockedText, type Standstill } from '../views/troubles.js';
import type { FollowEvent } from './follow.js';

/** The JSONL events of `run --json`: each row that finished in this run is told exactly once. */
export interface JsonEvents {
  /** `reused`: rows that are done since they were rendered in another batch before. */
  started(facts: { generation: string; rows: number; toRun: number; reused?: number; out: string }): void;
  follow(event: FollowEvent): void;
  rowFinished(id: string, status: Status, creditsNano: CreditsNano | null, atMs: number): void;
  /** How many rows were told. */
  told(): number;
  finished(result: BatchResult, facts: FinishedFacts): void;
  /** The command ended before the batch: `interrupted`, or what was waited for too long. */
  detached(reason: string, exitCode: number): void;
  /** Resolves when everything is written. */
  written(): Promise<void>;
}

interface JsonSink {
  write(event: object): void;
  now(): number;
  /** What the home keeps of a row that ended. */
  recordOf(id: string): Promise<RowRecord | undefined>;
  /** The file that keeps the output of a row from its name; undefined where it cannot be found. */
  fileInWay(id: string): Promise<string | undefined>;
  /** The command that lets the batch go on. */
  resume: string;
}

interface FinishedFacts {
  out: string;
  exitCode: number;
  /** A sample ended, and the rest waits for `approve`. */
  sampled?: boolean;
  /** What the balance lost that nothing known here explains. */
  unattributed?: string;
  /** Rows that need a person, the first ones, and the money at stake in all of them. */
  cases: readonly ListedCase[];
  sum: CaseSum;
}

/** The events of a command with `--json`; undefined without it. */
export function newJsonEvents({ session, access, batch }: BatchPlace): JsonEvents | undefined {
  const { isJson, config, terminal, cli } = session;
  if (!isJson) return undefined;
  // From the first event on: the exit code says how the batch stands, not that somebody has read enough.
  cli.io.onReaderGone(() => undefined);
  const names = { batch, account: config.account.name };
  const inWay = createFileInWay(access, batch);
  return createJsonEvents(names, {
    write: (event) => terminal.json(event),
    now: () => Date.now(),
    recordOf: (id) => access.records.readRecord(batch, id),
    resume: commandHint(session, orderWords('resume', batch)),
    fileInWay: async (id) => {
      const generation = (await access.rows.currentGeneration(batch)) ?? '';
      return inWay.of({ generation, blocked: { id, code: 'EEXIST', count: 1 } });
    },
  });
}

export function createJsonEvents(names: { batch: string; account: string }, sink: JsonSink): JsonEvents {
  const told = new Set<string>();
  let written = Promise.resolve();
  const say = (type: string, facts: object | Promise<object>, atMs = sink.now()): void => {
    // A row's facts are read from the home; what was said before it stands before it.
    written = written.then(async () => {
      sink.write({ schema: 1, type, at: new Date(atMs).toISOString(), ...names, ...(await facts) });
    });
  };
  const rowFinished: JsonEvents['rowFinished'] = (id, status, creditsNano, atMs) => {
    if (told.has(id)) return;
    told.add(id);
    const facts = { id, status, credits: creditsNano === null ? null : formatCredits(creditsNano) };
    const record = sink.recordOf(id).catch(() => undefined);
    say(
      'row_finished',
      record.then((known) => ({ ...facts, ...recordFacts(known) })),
      atMs,
    );
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
          const facts = { reason: reason ?? 'user', ...(id === '' ? {} : { id }) };
          if (code === undefined) return say(type, facts, atMs);
          const found = code === 'EEXIST' && id !== '' ? sink.fileInWay(id).catch(() => undefined) : undefined;
          const blocked = { id: id || null, code, count: 1 };
          return say(type, blockedFacts(facts, blocked, found, sink.resume), atMs);
        }
      }
    },
    rowFinished,
    told: () => told.size,
    finished: ({ counts, creditsNano, creditsUnknown, stopped = null }, { cases, sum, ...facts }) => {
      const { rows, stakeNano, unknown } = sum;
      const review = { rows, at_stake: formatCredits(stakeNano), unknown_rows: unknown, first: cases.map(caseJson) };
      const spent = { credits: creditsJson(creditsNano, creditsUnknown), creditsUnknown };
      say('batch_finished', { counts, ...spent, stopped, ...facts, review });
    },
    detached: (reason, exitCode) => say('detached', { reason, exitCode }),
    written: () => written,
  };
}

/** Why an output cannot be stored, with the file that is in its way where one is. */
async function blockedFacts(
  facts: object,
  blocked: NonNullable<BatchProgress['blocked']>,
  found: Promise<string | undefined> | undefined,
  resume: string,
): Promise<object> {
  const file = await found;
  const named = defined({ file });
  return { ...facts, code: blocked.code, message: blockedText({ ...blocked, ...named }, resume), ...named };
}

/** Where the output is, or why there is none. `file` is relative to the batch's folder. */
function recordFacts(record: RowRecord | undefined): object {
  const { files = [], reasonCode = null, reason = null, reusedFrom } = record ?? {};
  return { file: files[0]?.file ?? null, reason_code: reasonCode, reason, ...defined({ reused_from: reusedFrom }) };
}

function standstill({ reason, family, route }: Standstill): object {
  return { reason, ...defined({ family, route }) };
}
