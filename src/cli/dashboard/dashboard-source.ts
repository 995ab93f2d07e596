import { LIST_PRICE_PPB } from '../../books/prices/price-book.js';
import { rowPrice, withFollowUp } from '../../books/prices/row-price.js';
import type { Order } from '../../dashboard/orders.js';
import type { BatchHistory } from '../../dashboard/slot-history.js';
import type { DashboardSource } from '../../dashboard/source.js';
import type { Attempt } from '../../domain/attempt.js';
import type { Json, JsonObject } from '../../domain/json.js';
import type { CreditsNano } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import { readPauses } from '../../home/batch-marks.js';
import { readBatchOptions } from '../../home/batch-order.js';
import { resultLines } from '../../home/result-lines.js';
import { nameFlaw } from '../../manifest/ids.js';
import { StoreError } from '../../store/port.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { knownPrices } from '../access/known-prices.js';
import { sentRequests } from '../access/sent-requests.js';
import { unservedText } from '../access/served.js';
import { joinWork } from '../access/work-access.js';
import { type BatchStateReport, readBatchState } from '../batch/batch-state.js';
import { resultSources } from '../batch/final-rows.js';
import { fullDisk } from '../batch/full-disk.js';
import { explanationsOf } from '../explain/explanations.js';
import { caseOf } from '../review/show-case.js';
import type { Session } from '../session.js';
import { statusJson } from '../views/status-lines.js';
import { giveOrder } from './give-order.js';
import { shownRequest } from './shown-request.js';

/** What the page shows, by the functions that `list`, `status`, `review show` and `explain` use. */
export function createDashboardSource(session: Session, settings: readonly string[]): DashboardSource {
  const access = openHomeAccess(session.config);
  const { home, rows } = access;
  return {
    list: () => listed(session, access),
    knows: async (batch) => nameFlaw(batch) === undefined && (await rows.currentGeneration(batch)) !== undefined,
    status: async (batch) => {
      const [report] = nameFlaw(batch) === undefined ? (await states(session, access, [batch])).reports : [];
      return report && asJson(statusJson(session, report));
    },
    lines: async function* (batch) {
      const generation = await rows.currentGeneration(batch);
      if (generation !== undefined) yield* resultLines(resultSources(access), batch, generation);
    },
    row: (batch, id) => rowFacts(session, access, batch, id),
    count: async (batch) => {
      const generation = await rows.currentGeneration(batch);
      return (generation && (await rows.generation(batch, generation))?.rows) || 0;
    },
    mostOf: (batch, indexes) => mostOf(session, access, batch, indexes),
    balance: (sinceMs) => home.checkpointsSince(sinceMs),
    history: (batch, ids, sinceMs) => historyOf(session, access, batch, ids, sinceMs),
    outputs: async (batch) => resultSources(access).openStore((await home.readBatch(batch))?.out ?? ''),
    order: (batch: string, order: Order) => giveOrder(session.cli, settings, batch, order),
  };
}

async function mostOf(
  session: Session,
  access: HomeAccess,
  batch: string,
  indexes: ReadonlySet<number>,
): Promise<CreditsNano | null> {
  const prices = await knownPrices(session, access, batch);
  let nano = 0;
  for await (const row of rowsInForce(access, batch)) {
    if (!indexes.has(row.index)) continue;
    const price = withFollowUp(row, rowPrice(row, prices, LIST_PRICE_PPB));
    if (price?.hi == null) return null;
    nano += price.hi;
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
    ...{ account: session.config.account.name, isServed, blocked: blocked ?? null },
    balance: balance === undefined ? null : { credits: balance.balanceNano / 1e9, atMs: balance.atMs },
    batches: reports.map((report) => statusJson(session, report)),
  });
}

async function states(session: Session, access: HomeAccess, batches: readonly string[]) {
  // A Temporal that does not answer leaves the page what the home says.
  const work = await joinWork(session).catch(() => undefined);
  try {
    const reports: BatchStateReport[] = [];
    for (const batch of batches) {
      const report = await readBatchState(access, work, batch);
      if (report !== undefined) reports.push(report);
    }
    const unserved = work && (await unservedText(session, work));
    const blocked = [unserved, await fullDisk(session)].filter((text) => text !== undefined).join('; ') || undefined;
    return { reports, isServed: work !== undefined && unserved === undefined, blocked };
  } finally {
    await work?.close();
  }
}

async function rowFacts(session: Session, access: HomeAccess, batch: string, id: string): Promise<JsonObject> {
  const attempts = await access.ledger.read(batch, id);
  const shown = attempts.length === 0 ? null : await caseOf(session, batch, id);
  const record = await access.records.readRecord(batch, id);
  const [explanation = null] = record?.reasonCode === undefined ? [] : explanationsOf(record.reasonCode);
  const row = await rowOf(access, batch, id);
  return asJson({
    shown,
    explanation,
    asked: row && askedFor(row),
    request: row && (await requestOf(access, batch, row)),
  });
}

async function rowOf(access: HomeAccess, batch: string, id: string): Promise<Row | null> {
  for await (const row of rowsInForce(access, batch)) if (row.id === id) return row;
  return null;
}

async function* rowsInForce({ rows }: HomeAccess, batch: string): AsyncIterable<Row> {
  const generation = await rows.currentGeneration(batch);
  const facts = generation === undefined ? undefined : await rows.generation(batch, generation);
  for (const part of facts?.parts.keys() ?? []) {
    for (const { row } of await rows.readPart(batch, generation ?? '', part)) yield row;
  }
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
