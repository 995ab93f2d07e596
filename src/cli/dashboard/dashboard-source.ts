import type { BatchHistory } from '../../dashboard/slot-history.js';
import { type DashboardSource, type Order, OrderRefused } from '../../dashboard/source.js';
import type { Attempt } from '../../domain/attempt.js';
import type { Json, JsonObject } from '../../domain/json.js';
import type { CreditsNano } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import { quoteInForce, sampleInForce } from '../../home/batch-marks.js';
import { readBatchOptions } from '../../home/batch-order.js';
import { readPauses } from '../../home/pauses.js';
import { resultLines } from '../../home/result-lines.js';
import { failedReruns } from '../../home/row-orders.js';
import { nameFlaw } from '../../manifest/names.js';
import { quoteLines } from '../../report/quote-lines.js';
import { StoreError } from '../../store/port.js';
import {
  type HomeAccess,
  knownPrices,
  listPrice,
  openHomeAccess,
  resultSources,
  rowsOf,
  sentRequests,
} from '../access/home-access.js';
import { unlessOutage } from '../batch/batch-source.js';
import { type AccountState, readStates } from '../batch/batch-state.js';
import { generationInForce } from '../batch/known-batch.js';
import { accountLimits, batchLimits } from '../batch/limits-in-force.js';
import { queuedRows } from '../batch/what-is-left.js';
import { explanationsOf } from '../explain/explanations.js';
import type { Cli } from '../io.js';
import { spentBefore } from '../plan/approve-plan.js';
import { caseOf } from '../review/show-case.js';
import type { Session } from '../session.js';
import { statusJson } from '../views/status-lines.js';
import { giveOrder } from './give-order.js';
import { rowAsSent, shownRequest } from './shown-request.js';

/** What the page shows, by the functions that `list`, `status`, `review show` and `explain` use. */
export function createDashboardSource(session: Session, settings: readonly string[]): DashboardSource {
  const access = openHomeAccess(session.config);
  const { home, rows } = access;
  return {
    list: () => listed(session, access),
    knows: async (batch) =>
      nameFlaw(batch) === undefined &&
      (await home.readBatch(batch)) !== undefined &&
      (await rows.currentGeneration(batch)) !== undefined,
    status: async (batch) => {
      const [report] = nameFlaw(batch) === undefined ? (await states(session, access, [batch])).reports : [];
      return report && asJson(statusJson(session, report));
    },
    quote: async (batch) => {
      const generation = await rows.currentGeneration(batch);
      const quote = generation && (await quoteInForce(home, batch, generation));
      return quote ? quoteLines(quote) : [];
    },
    lines: async function* (batch) {
      const generation = await rows.currentGeneration(batch);
      if (generation !== undefined) yield* resultLines(resultSources(access), batch, generation);
    },
    row: (batch, row) => rowFacts(session, access, batch, row),
    generation: (batch) => rows.currentGeneration(batch),
    count: async (batch) => (await generationInForce(access, batch))?.rows ?? 0,
    mostOf: (batch, indexes) => mostOf(session, access, batch, indexes),
    isSpentBounded: async (batch) => (await spentBefore({ session, access, batch })).unbounded === 0,
    mayRun: async (batch) => sampleInForce(home, batch, (await rows.currentGeneration(batch)) ?? ''),
    queued: async (batch) => {
      const queued = new Set<string>();
      const generation = (await rows.currentGeneration(batch)) ?? '';
      for await (const id of queuedRows(access, batch, generation)) queued.add(id);
      return queued;
    },
    stoppedByInputs: async (batch) => {
      const failed = await failedReruns(access, batch);
      return new Set(failed.flatMap(({ id, rerunFailedFor: why }) => (why === 'input_changed' ? [id] : [])));
    },
    limits: async (batch) => {
      if (batch === undefined) return (await accountLimits(session, access)).inForce;
      const { orderedConcurrency: _, ...inForce } = await batchLimits(access, batch);
      return inForce;
    },
    balance: (sinceMs) => home.checkpointsSince(sinceMs),
    history: (batch, ids, sinceMs) => historyOf(session, access, batch, ids, sinceMs),
    outputs: async (batch) => resultSources(access).openStore((await home.readBatch(batch))?.out ?? ''),
    order: async (batch: string, order: Order) => giveOrder(await cliWithKey(session), settings, batch, order),
  };
}

/** What came on standard input or through a pipe can be read once: every order of the page has the key from here. */
async function cliWithKey({ cli, isKeyReadOnce, apiKey }: Session): Promise<Cli> {
  if (!isKeyReadOnce) return cli;
  const { secret } = await apiKey().catch((error: Error) => {
    throw new OrderRefused(error.message);
  });
  return { ...cli, io: { ...cli.io, env: { ...cli.io.env, CALLSHEET_API_KEY: secret.reveal() } } };
}

async function mostOf(
  session: Session,
  access: HomeAccess,
  batch: string,
  indexes: ReadonlySet<number>,
): Promise<CreditsNano | null> {
  const prices = await knownPrices({ session, access, batch });
  let nano = 0;
  for await (const row of rowsInForce(access, batch)) {
    if (!indexes.has(row.index)) continue;
    const hi = listPrice(row, prices)?.hi ?? null;
    if (hi === null) return null;
    nano += hi;
  }
  return nano;
}

async function historyOf(
  { config }: Session,
  { home, ledger }: HomeAccess,
  batch: string,
  ids: readonly string[],
  sinceMs: number,
): Promise<BatchHistory> {
  const attempts = new Map<string, Attempt[]>();
  for (const id of ids) attempts.set(id, await ledger.read(batch, id));
  const sentMs = await sentRequests(config.data, config.account.name, sinceMs);
  return { attempts, pauses: await readPauses(home, batch), sentMs };
}

async function listed(session: Session, access: HomeAccess): Promise<JsonObject> {
  const { reports, isServed, blocked } = await states(session, access, await access.home.batches());
  const balance = await access.home.latestCheckpoint();
  return asJson({
    ...{ account: session.config.account.name, isServed, blocked },
    balance: balance === undefined ? null : { credits: balance.balanceNano / 1e9, atMs: balance.atMs },
    batches: reports.map((report) => statusJson(session, report)),
  });
}

/** A Temporal that does not answer leaves the page what the home says. */
async function states(session: Session, access: HomeAccess, batches: readonly string[]): Promise<AccountState> {
  const seen = await unlessOutage(readStates(session, access, batches));
  return seen ?? readStates(session, access, batches, Promise.resolve(undefined));
}

async function rowFacts(
  session: Session,
  access: HomeAccess,
  batch: string,
  { id, reasonCode, flags }: Parameters<DashboardSource['row']>[1],
): Promise<JsonObject> {
  const attempts = await access.ledger.read(batch, id);
  const shown = attempts.length === 0 ? null : await caseOf(session, batch, id);
  const [explanation = null] = reasonCode === '' ? [] : explanationsOf(reasonCode);
  const flagged = flags.flatMap((flag) => explanationsOf(flag).filter(({ kind }) => kind === 'flag'));
  const row = await rowOf(access, batch, id);
  return asJson({
    shown,
    explanations: explanation === null ? flagged : [explanation, ...flagged],
    asked: row && askedFor(row),
    request: row && (await requestOf(access, batch, await rowAsSent(access, batch, attempts, row))),
  });
}

async function rowOf(access: HomeAccess, batch: string, id: string): Promise<Row | null> {
  for await (const row of rowsInForce(access, batch)) if (row.id === id) return row;
  return null;
}

async function* rowsInForce(access: HomeAccess, batch: string): AsyncIterable<Row> {
  const generation = await generationInForce(access, batch);
  if (generation !== undefined) for await (const { row } of rowsOf(access, batch, generation)) yield row;
}

/** The row's own cells and media, as they were handed to the kind. */
function askedFor(row: Row): object {
  return { ...row.cells, ...row.media, ...(row.extra ? { extra: row.extra } : {}) };
}

async function requestOf({ home, config }: HomeAccess, batch: string, row: Row): Promise<Json> {
  try {
    const { responseFormat } = await readBatchOptions(home, batch);
    return shownRequest(row, { responseFormat, aliasPaths: config.svc.aliasPaths });
  } catch (error) {
    // The rest of the row is shown all the same; `ledger verify` names a batch whose options are damaged.
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** Only what JSON can say: what is undefined is left out. */
function asJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
