import type { Attempt, AttemptRef } from '../domain/attempt.js';
import { intentOf, standingOf } from '../domain/standing.js';
import { decodeJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import { attemptStateSchema } from './attempt-schema.js';
import type { Home } from './home.js';
import { attemptsOf, type Breach, breachesOf, isLive, type SeenRecord } from './ledger-breaches.js';
import { parseAttemptName, parseIndexKey } from './parse-keys.js';

/** Walks every record of an account's ledger in constant memory and changes nothing. */

export interface LedgerBreach extends Breach {
  batch: string;
  id: string;
}

export interface LedgerFacts {
  batches: number;
  rows: number;
  attempts: number;
  records: number;
  /** Open-attempt entries, and those among them whose attempt has ended or was never claimed: the next start removes them. */
  open: number;
  leftovers: number;
  breaches: number;
}

const ROWS_AT_ONCE = 64;
const WIDTH = 16;
/** By so much the clocks of two machines of one home may differ. */
const CLOCKS_APART_MS = 24 * 3_600_000;

interface SeenRow {
  batch: string;
  id: string;
  keys: { key: string; n: number; seq: number }[];
}

/** Tells each breach as it is found; a row that seems wrong is read once more, since a worker may be writing it. */
export async function verifyLedger(home: Home, onBreach: (breach: LedgerBreach) => void): Promise<LedgerFacts> {
  const facts: LedgerFacts = { batches: 0, rows: 0, attempts: 0, records: 0, open: 0, leftovers: 0, breaches: 0 };
  const tell = (breach: LedgerBreach): void => {
    facts.breaches += 1;
    onBreach(breach);
  };
  for (const batch of await home.batches()) {
    facts.batches += 1;
    let rows: SeenRow[] = [];
    const flush = async (): Promise<void> => {
      for (const found of await parallel(rows, WIDTH, (row) => verifyRow(home, row, facts))) found.forEach(tell);
      rows = [];
    };
    for await (const row of rowsOf(home, batch)) {
      rows.push(row);
      if (rows.length >= ROWS_AT_ONCE) await flush();
    }
    await flush();
  }
  await verifyIndex(home, facts);
  return facts;
}

/** The listing is in the order of the keys, so that a row's records come one after the other. */
async function* rowsOf(home: Home, batch: string): AsyncIterable<SeenRow> {
  const prefix = home.keys.attemptsOf(batch);
  let row: SeenRow | undefined;
  for await (const key of home.store.list(prefix)) {
    const [, id, name] = key.slice(prefix.length + 1).split('/');
    const place = name === undefined ? undefined : parseAttemptName(name);
    if (id === undefined || place === undefined) continue;
    if (row !== undefined && row.id !== id) yield row;
    if (row === undefined || row.id !== id) row = { batch, id, keys: [] };
    row.keys.push({ key, ...place });
  }
  if (row !== undefined) yield row;
}

async function verifyRow(home: Home, row: SeenRow, facts: LedgerFacts): Promise<LedgerBreach[]> {
  const records = await recordsOf(home, row);
  facts.rows += 1;
  facts.records += records.length;
  facts.attempts += attemptsOf(records).length;
  const first = await allBreaches(home, row, records);
  if (first.length === 0) return [];
  const again = await readAgain(home, row);
  const { batch, id } = row;
  return (await allBreaches(home, again, await recordsOf(home, again))).map((breach) => ({ ...breach, batch, id }));
}

async function recordsOf(home: Home, { keys }: SeenRow): Promise<SeenRecord[]> {
  return Promise.all(
    keys.map(async ({ key, n, seq }) => {
      const bytes = await home.store.get(key);
      return { n, seq, state: bytes === undefined ? undefined : decodeJson(attemptStateSchema, bytes) };
    }),
  );
}

async function readAgain(home: Home, { batch, id }: SeenRow): Promise<SeenRow> {
  const folder = home.keys.attempts(batch, id);
  const names = await home.store.names(folder);
  const keys = names.flatMap((name) => {
    const place = parseAttemptName(name);
    return place === undefined ? [] : [{ key: `${folder}/${name}`, ...place }];
  });
  return { batch, id, keys };
}

async function allBreaches(home: Home, { batch, id }: SeenRow, records: SeenRecord[]): Promise<Breach[]> {
  const found = breachesOf(records);
  for (const attempt of attemptsOf(records)) {
    const ref: AttemptRef = { batch, id, n: attempt.n };
    if (!isLive(attempt) || (await home.store.size(home.keys.open(ref))) !== undefined) continue;
    if (standingOf(attempt) === 'created' && (await isBooked(home, ref, attempt))) continue;
    found.push({
      rule: 'index',
      n: attempt.n,
      what: `attempt ${attempt.n} may still run and is not in the open index`,
    });
  }
  return found;
}

/**
 * Whether the book has an attempt: an accepted job that nobody polled to its end leaves the index with that. It is
 * looked for from the claim on, since a book of a year has 52,560 places, and it mostly stands in the first days.
 */
async function isBooked({ store, keys }: Home, ref: AttemptRef, attempt: Attempt): Promise<boolean> {
  const first = keys.bookBucket(Math.max(0, (intentOf(attempt)?.atMs ?? 0) - CLOCKS_APART_MS));
  const places = (await store.names(keys.bookBuckets)).filter((name) => `${keys.bookBuckets}/${name}` >= first);
  for (let from = 0; from < places.length; from += WIDTH) {
    const near = places.slice(from, from + WIDTH);
    const sizes = await parallel(near, WIDTH, (bucket) => store.size(keys.charge(ref, Number(bucket))));
    if (sizes.some((size) => size !== undefined)) return true;
  }
  return false;
}

/** An entry is written before its claim and removed after its end: a crash in between leaves one, which is no breach. */
async function verifyIndex(home: Home, facts: LedgerFacts): Promise<void> {
  for await (const key of home.store.list(home.keys.opens)) {
    const ref = parseIndexKey(home.keys.opens, key);
    if (ref === undefined) continue;
    facts.open += 1;
    const row = await readAgain(home, { batch: ref.batch, id: ref.id, keys: [] });
    const attempt = attemptsOf(await recordsOf(home, row)).find(({ n }) => n === ref.n);
    if (attempt === undefined || !isLive(attempt)) facts.leftovers += 1;
  }
}
