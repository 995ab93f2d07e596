import { userInfo } from 'node:os';
import { accountSettings } from '../../config/make-config.js';
import type { AttemptState, Decision } from '../../domain/attempt.js';
import type { PollReading } from '../../domain/exchange.js';
import type { RowRecord } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { intentOf, type Standing } from '../../domain/standing.js';
import { readTrust, trust } from '../../home/verdicts.js';
import { isAsync } from '../../kinds/facts.js';
import { adapterFor } from '../../kinds/index.js';
import { readPolled } from '../../kinds/readings.js';
import { createTransport } from '../../service/transport.js';
import { noteRequest, openHomeAccess } from '../access/home-access.js';
import { KeyRefusedError, sayOf } from '../access/read-account.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { EXIT, UserError } from '../user-error.js';
import type { CaseRow } from './case-row.js';

export interface OrderTerms {
  isSaidYes: boolean;
  trustsHome: boolean;
  /** What the rows feed goes on with them. */
  follow: boolean;
}

/** A person's order about one row or several. */
export type ReviewOrder = OrderTerms & { why?: string } & (
    | { command: 'attach-handle'; handles: ReadonlyMap<string, string> }
    | { command: 'mark-lost'; isBilled: boolean }
    | { command: 'resubmit' }
  );

const WHY_MAX = 500;

/** What the ledger keeps of the order: who, when and why. `handle` is what a poll confirmed, for `attach-handle`. */
export function stateOf(order: ReviewOrder, handle: string | undefined, atMs: number): AttemptState {
  const why = order.why?.trim().slice(0, WHY_MAX);
  const by: Decision = { who: userName(), ...(why ? { why } : {}) };
  switch (order.command) {
    case 'attach-handle':
      return { state: 'attached', atMs, handle: handle ?? '', by };
    case 'mark-lost':
      return { state: 'ruled', atMs, ruling: order.isBilled ? 'billed' : 'not_billed', by };
    case 'resubmit':
      return { state: 'overridden', atMs, cause: 'person', by };
  }
}

/** What a person can do with a row, what it would mean, and why it cannot be done now. Pure. */

export const REVIEW_COMMANDS = ['attach-handle', 'mark-lost', 'resubmit'] as const;
export type ReviewCommand = (typeof REVIEW_COMMANDS)[number];

const EFFECTS: Readonly<Record<ReviewCommand, string>> = {
  'attach-handle': 'asks the service for this handle, free of charge; if it knows it, the output is fetched',
  'mark-lost': 'ends the row as lost_paid; with --not-billed as failed, so that `callsheet retry` runs it again',
  resubmit: 'submits the row again and pays for it again, even if the first request was billed',
};

export function effectOf(command: ReviewCommand): string {
  return EFFECTS[command];
}

/** Why the command cannot be done with the row as it stands, in a clause; undefined when it can. */
export function refusalOf(command: ReviewCommand, found: CaseRow): string | undefined {
  const { row, last, standing } = found;
  // Of a row that is being rendered again the record tells of the render before.
  const record = found.record?.rerunAtMs === undefined ? found.record : undefined;
  const isSettled = record?.status === 'review' || record?.status === 'lost_paid';
  if (record?.status === 'done') return 'it is done: there is nothing to settle';
  if (record?.reasonCode === 'row_changed') {
    return 'its output is of the values that it had when it was submitted, and the manifest has others now: give it those again or a new id, or `callsheet run` with `--changed rerun` renders it anew and pays again';
  }
  if (record !== undefined && !isSettled) return `it is ${record.status}: \`callsheet retry\` runs it again`;
  if (!isSettled && standing !== 'open_case') return UNDER_WAY[standing] ?? 'it is under way: wait for its end';
  if (command === 'resubmit' && found.isRemoved) {
    return 'it left the manifest, so that it would not be sent: run a manifest that has it again first';
  }
  if (command === 'resubmit' && record?.reasonCode === 'verdict_contradicted' && hasOwnFiles(record)) {
    return 'its output is stored: another one would be paid for nothing';
  }
  if (command === 'attach-handle') return handleRefusal((last && intentOf(last)?.kind) ?? row.kind, standing);
  if (command === 'mark-lost' && (standing === 'rendered' || standing === 'done')) {
    return 'its output is fetched as long as it may live';
  }
  return undefined;
}

function hasOwnFiles({ files, hasEarlierFiles }: RowRecord): boolean {
  return files.length > 0 && hasEarlierFiles !== true;
}

const UNDER_WAY: Partial<Record<Standing, string>> = {
  claimed: 'its submit is under way: try again in a minute',
  created: 'it renders at the service: wait for its end',
};

function handleRefusal(kind: CaseRow['row']['kind'], standing: Standing): string | undefined {
  if (!isAsync(kind)) return `${kind} is answered at once and has no handle`;
  return standing === 'rendered' ? 'its handle is known and it was rendered' : undefined;
}

/** Rows and their handles in turn, as they are typed. Throws a UserError where one word has no partner or a row has two. Pure. */
export function handlePairs(words: readonly string[]): Map<string, string> {
  const handles = new Map<string, string>();
  for (let at = 0; at < words.length; at += 2) {
    const [id = '', handle] = words.slice(at, at + 2);
    if (handle === undefined) throw new UserError(`row '${id}' has no handle behind it`);
    if (handles.has(id)) throw new UserError(`row '${id}' is named twice: a row has one handle; nothing was changed`);
    handles.set(id, handle);
  }
  return handles;
}

/** A handle counts only when a poll of it is answered as documented; else nothing is changed. */
export async function confirmHandle(session: Session, row: Row, handle: string): Promise<void> {
  const adapter = adapterFor(row.kind);
  if (adapter.flow !== 'async') throw new UserError(`${row.kind} has no handles`);
  const { baseUrl, userAgent } = accountSettings(session.config);
  const { secret } = await session.apiKey();
  const transport = createTransport({ baseUrl, userAgent, key: () => secret.reveal() });
  try {
    await noteRequest(session.config);
    const exchange = await transport.send(adapter.pollRequest(handle, row));
    if (exchange.outcome !== 'answered') {
      throw new UserError(
        `${baseUrl} cannot be reached (${exchange.phase}): nothing was changed; try again`,
        EXIT.unreachable,
      );
    }
    const { answer } = exchange;
    if (answer.status === 200 && confirms(readPolled(adapter, handle, answer))) return;
    const said = plain(sayOf(answer), 200);
    if (answer.status === 401) throw new KeyRefusedError(said);
    const isAway = answer.status === 429 || answer.status >= 500;
    if (isAway) {
      throw new UserError(
        `the service could not say whether it knows the handle (${said}): nothing was changed; try again`,
        EXIT.unreachable,
      );
    }
    throw new UserError(
      `the service does not know this handle under ${row.kind} (${said}): nothing was changed; compare it with what the service gave`,
    );
  } finally {
    await transport.close();
  }
}

/** A handle that stood in an answer which was not whole, or undefined. */
export function salvagedHandle({ last }: Pick<CaseRow, 'last'>): string | undefined {
  const states = last?.states ?? [];
  return states.flatMap((state) => (state.state === 'created_lost' ? [state.salvagedHandle] : [])).at(-1);
}

/** A status that the documents do not know may be a gateway's own word. */
function confirms(reading: PollReading): boolean {
  return reading.reading === 'running' ? reading.known : reading.reading !== 'unreadable';
}

/** Lets the credits check send rows again by itself, after a person has looked at the verdict that was contradicted. */
export async function trustAgain(session: Session, why: string | undefined): Promise<void> {
  const { terminal, config } = session;
  const account = config.account.name;
  const { home } = openHomeAccess(config);
  const now = await readTrust(home);
  const isOff = now?.trusted === false;
  if (isOff) await trust(home, { who: userName(), why: why ?? '', atMs: Date.now() });
  if (session.isJson) terminal.json({ schema: 1, account, trusted: true, changed: isOff, was: now ?? null });
  else if (!isOff) terminal.data(`the credits check of account '${account}' is trusted: nothing to change`);
  else terminal.data(`the credits check of account '${account}' is trusted again; it was not, since: ${now.why}`);
}

/** Who sits at this machine, as it knows them. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
