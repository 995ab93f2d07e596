import type { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import { intentOf } from '../domain/standing.js';
import { decodeJson, encodeJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import type { Store } from '../store/port.js';
import { accountLimits, openBreakers } from './account-limits.js';
import { attemptStateSchema, jsonSchema, openFactsOf, openFactsSchema } from './attempt-schema.js';
import { loadAttempt } from './attempts.js';
import { cancelled, pauses, sampleGate, stopped } from './batch-marks.js';
import { batchOptions, batchOrder } from './batch-order.js';
import { accountSchema, batchSchema } from './bindings.js';
import { bookedSchema, worstBooking } from './charge-book.js';
import { takenFrame } from './feeds.js';
import { handleSchema, nameOwner, refSchema } from './handles.js';
import { checkpointSchema, type Home } from './home.js';
import { claimsSchema } from './home-mark.js';
import { lateOutput } from './late-outputs.js';
import { batchBooks, learnedFacts, measuredPrices } from './learned.js';
import { toldSchema, waitingSchema } from './notices.js';
import { parseIndexKey } from './parse-keys.js';
import { renderEnds } from './render-ends.js';
import { followers, rerun, reruns } from './row-orders.js';
import { rowRecordSchema, storedRowSchema } from './row-records.js';
import { currentSchema } from './rows.js';
import { generationSchema } from './rows-writer.js';
import { groupSchema, trustSchema, watched } from './verdicts.js';
import { wasteSchema } from './waste-book.js';

/** Walks over every document of an account in constant memory and changes nothing. */

export interface DamagedDocument {
  key: string;
  sort: DocumentSort;
}

const AT_ONCE = 256;
const WIDTH = 16;
const SHOWN_MAX = 100;

/** How many documents were read, and which of them cannot be understood, the first ones. */
export interface DocumentFacts {
  documents: number;
  damaged: number;
  shown: DamagedDocument[];
}

/** All documents but the records of attempts, of which the walk over the ledger tells. */
export async function lookOverDocuments(home: Home, mayGoOn?: () => boolean): Promise<DocumentFacts> {
  const facts: DocumentFacts = { documents: 0, damaged: 0, shown: [] };
  const tell = (one: DamagedDocument): void => {
    if (one.sort.isAttempt) return;
    facts.damaged += 1;
    if (facts.shown.length < SHOWN_MAX) facts.shown.push(one);
  };
  facts.documents = await verifyDocuments(home, tell, mayGoOn);
  return facts;
}

/** Tells each document that cannot be read; `mayGoOn` ends the walk early. Gives how many were read. */
export async function verifyDocuments(
  { store, account }: Home,
  onDamaged: (damaged: DamagedDocument) => void,
  mayGoOn: () => boolean = () => true,
): Promise<number> {
  let read = 0;
  let waiting: DamagedDocument[] = [];
  const flush = async (): Promise<void> => {
    const damaged = await parallel(waiting, WIDTH, (one) => isDamaged(store, one));
    read += waiting.length;
    for (const [i, one] of waiting.entries()) if (damaged[i]) onDamaged(one);
    waiting = [];
  };
  for await (const key of store.list(account)) {
    const sort = sortOf(key.slice(account.length + 1));
    if (sort !== undefined) waiting.push({ key, sort });
    if (waiting.length >= AT_ONCE) await flush();
    if (!mayGoOn()) break;
  }
  await flush();
  return read;
}

async function isDamaged(store: Store, { key, sort }: DamagedDocument): Promise<boolean> {
  const bytes = await store.get(key);
  if (bytes === undefined) return false;
  if (!sort.isLines) return decodeJson(sort.schema, bytes) === undefined;
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  if (lines.pop() !== '' || lines.length === 0) return true;
  return lines.some((line) => decodeJson(sort.schema, Buffer.from(line)) === undefined);
}

/** Sets damaged documents aside and makes anew what can be told from what lies beside them. */

/** `rebuilt`: it is there again. `set aside`: what it said is told by the attempts. `left`: it stays as it is. */
export type Repair = 'rebuilt' | 'set aside' | 'left';

export async function repairDocument(home: Home, { key, sort }: DamagedDocument, atMs: number): Promise<Repair> {
  const { store, keys } = home;
  if (sort.mended !== 'again') return 'left';
  const open = parseIndexKey(keys.opens, key);
  // With neither the entry nor the claim to be read, its being there is all that says that something may run.
  if (key.startsWith(`${keys.opens}/`) && open && (await isClaimTorn(home, open))) return 'left';
  const bytes = await store.get(key);
  if (bytes === undefined) return 'set aside';
  await store.put(keys.setAside(key, atMs), bytes);
  const anew = await rebuild(home, key);
  if (anew === undefined) await store.remove(key);
  else await store.put(key, encodeJson(anew));
  return anew === undefined ? 'set aside' : 'rebuilt';
}

async function isClaimTorn({ store, keys }: Home, ref: AttemptRef): Promise<boolean> {
  const attempt = await loadAttempt(store, keys, ref);
  return attempt !== undefined && attempt.states[0] === undefined;
}

/** Undefined where the document is not needed, or is made by the next `run`. */
async function rebuild(home: Home, key: string): Promise<unknown> {
  const { store, keys } = home;
  const [, root, batch = ''] = key.split('/');
  if (root === 'batches' && key === keys.batch(batch)) return home.readBatch(batch);
  if (root === 'book') return worstBooking(store, keys, key);
  const ref = root === 'open' ? parseIndexKey(keys.opens, key) : undefined;
  const attempt = ref && (await loadAttempt(store, keys, ref));
  const intent = attempt && intentOf(attempt);
  return intent && openFactsOf(intent);
}

/** Every sort of document in an account's part of a home, for those that walk over all of it. */

export interface DocumentSort {
  /** The key below the account's folder. */
  place: RegExp;
  /** What it is called, for people. */
  name: string;
  schema: z.ZodType;
  isAttempt?: true;
  /** One document a line. */
  isLines?: true;
  /**
   * `again` = callsheet makes it anew, so that a damaged one can be set aside; `run` = the batch's manifest, run again,
   * writes it anew; `kept` = its being there means something: it stays, and is taken for the worst that it can say.
   */
  mended: 'again' | 'run' | 'kept';
}

function sort(place: RegExp, name: string, schema: z.ZodType, mended: DocumentSort['mended']): DocumentSort {
  return { place, name, schema, mended };
}

const inBatch = (name: string): RegExp => new RegExp(`^batches/[^/]+/${name}`);

const SORTS: DocumentSort[] = [
  { ...sort(inBatch('attempts/'), 'a record of an attempt', attemptStateSchema, 'kept'), isAttempt: true },
  sort(inBatch('records/'), "a row's record", rowRecordSchema, 'again'),
  { ...sort(inBatch('rows/.*\\.jsonl$'), 'rows', storedRowSchema, 'run'), isLines: true },
  sort(inBatch('rows/.*/generation\\.json$'), 'what the rows are', generationSchema, 'run'),
  sort(inBatch('current\\.json$'), 'which rows are run', currentSchema, 'run'),
  sort(inBatch('options\\.json$'), "a batch's options", batchOptions.schema, 'run'),
  sort(inBatch('batch\\.json$'), 'where a batch writes to', batchSchema, 'again'),
  sort(inBatch('cancelled\\.json$'), 'the mark of a cancelled batch', cancelled.schema, 'kept'),
  sort(inBatch('stopped\\.json$'), 'the mark of a stopped batch', stopped.schema, 'again'),
  sort(inBatch('sample\\.json$'), 'a sample that waits for approval', sampleGate.schema, 'kept'),
  sort(inBatch('reruns\\.json$'), 'rows rendered again', reruns.schema, 'again'),
  sort(inBatch('followers\\.json$'), 'what follows a settled row', followers.schema, 'again'),
  sort(inBatch('late/'), 'a row whose output came late', lateOutput.schema, 'kept'),
  sort(inBatch('rerun\\.json$'), 'an order to pay again', rerun.schema, 'again'),
  sort(inBatch('pauses\\.json$'), 'when it was paused', pauses.schema, 'again'),
  sort(inBatch('books\\.json$'), "a batch's books", batchBooks.schema, 'again'),
  sort(inBatch('terms\\.json$'), 'what was ordered of a batch', batchOrder.schema, 'run'),
  sort(inBatch('waste/'), 'a reserved payment', wasteSchema, 'kept'),
  sort(/^account\.json$/, 'what the account is bound to', accountSchema, 'run'),
  sort(/^frames\//, 'a frame of a film', takenFrame.schema, 'again'),
  sort(/^open\//, 'the index of open attempts', openFactsSchema, 'again'),
  sort(/^book\//, 'what an attempt cost', bookedSchema, 'again'),
  sort(/^balance\//, 'a reading of the balance', checkpointSchema, 'again'),
  sort(/^trust\//, 'whether verdicts are trusted', trustSchema, 'kept'),
  sort(/^groups\//, 'attempts that were settled together', groupSchema, 'kept'),
  sort(/^handles\//, 'whose a handle is', nameOwner.schema, 'kept'),
  sort(/^watch\//, 'a watched verdict', watched.schema, 'again'),
  sort(/^(claimed|claims\/[^/]+)\.json$/, 'when it claimed last', claimsSchema, 'kept'),
  sort(/^limits\.json$/, 'limits of the account', accountLimits.schema, 'again'),
  sort(/^learned\.json$/, 'what the balance taught', learnedFacts.schema, 'kept'),
  sort(/^render-times\.json$/, 'when renders ended', renderEnds.schema, 'again'),
  sort(/^prices\.json$/, 'measured prices', measuredPrices.schema, 'again'),
  sort(/^notices\/waiting\//, 'a notice that waits', waitingSchema, 'again'),
  sort(/^notices\/told\//, 'what was told of a batch', toldSchema, 'again'),
  sort(/^breakers\.json$/, 'the open breakers', openBreakers.schema, 'again'),
  sort(/^callbacks\/.*\/attempt\.json$/, "a callback's attempt", refSchema, 'again'),
  sort(/^callbacks\/.*\/handles\//, "a callback's handle", handleSchema, 'again'),
];

const ANY = sort(/\.json$/, 'a document', jsonSchema, 'again');

/** Undefined for what is no document: media, and what was set aside. */
export function sortOf(place: string): DocumentSort | undefined {
  if (/^(media|set-aside)\//.test(place)) return undefined;
  return SORTS.find((sort) => sort.place.test(place)) ?? (ANY.place.test(place) ? ANY : undefined);
}
