import type { AttemptRef } from '../domain/attempt.js';
import { intentOf } from '../domain/standing.js';
import { decodeJson, encodeJson, forgotten, readJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import type { Store } from '../store/port.js';
import { openFactsOf } from './attempt-schema.js';
import { loadAttempt } from './attempts.js';
import { worstBooking } from './charge-book.js';
import { type DocumentSort, sortOf } from './document-sorts.js';
import type { Home } from './home.js';
import { parseIndexKey } from './parse-keys.js';
import { currentSchema } from './rows.js';
import { generationSchema } from './rows-writer.js';

/** Walks over every document of an account in constant memory and changes nothing. */

export interface DamagedDocument {
  key: string;
  sort: DocumentSort;
  /** It is not there, beside attempts that nobody finds without it, or beside the other parts of its rows. */
  isMissing?: true;
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

/** Tells each document that cannot be read, or is missing; `mayGoOn` ends the walk early. Gives how many were read. */
export async function verifyDocuments(
  home: Home,
  onDamaged: (damaged: DamagedDocument) => void,
  mayGoOn: () => boolean = () => true,
): Promise<number> {
  const { store, account } = home;
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
  if (mayGoOn()) for (const one of await missingDocuments(home)) onDamaged(one);
  return read;
}

/** Without where it writes to and which rows it runs no command knows a batch, whose outputs are then taken for a stranger's. */
async function missingDocuments({ store, account, keys, batches }: Home): Promise<DamagedDocument[]> {
  const found = await parallel(await batches(), WIDTH, async (batch) => {
    const places = [keys.batch(batch), keys.currentGeneration(batch)];
    const sizes = await Promise.all(places.map((key) => store.size(key)));
    const missing = places.filter((_, i) => sizes[i] === undefined);
    // A manifest that was checked and never run has a folder there too.
    const isRun = missing.length === 0 || (await store.names(keys.attemptsOf(batch))).length > 0;
    return [...(isRun ? missing : []), ...(await missingParts({ store, keys }, batch))];
  });
  return found.flat().flatMap((key) => {
    const sort = sortOf(key.slice(account.length + 1));
    return sort === undefined ? [] : [{ key, sort, isMissing: true }];
  });
}

/** Of the rows that the batch runs now. */
async function missingParts({ store, keys }: Pick<Home, 'store' | 'keys'>, batch: string): Promise<string[]> {
  const { generation } = (await readJson(store, keys.currentGeneration(batch), currentSchema, forgotten)) ?? {};
  if (generation === undefined) return [];
  const facts = await readJson(store, keys.generationFacts(batch, generation), generationSchema, forgotten);
  const parts = [...(facts?.parts.keys() ?? [])].map((part) => keys.part(batch, generation, part));
  const sizes = await parallel(parts, WIDTH, (key) => store.size(key));
  return parts.filter((_, i) => sizes[i] === undefined);
}

/** One that went away meanwhile is not damaged; lines whose last one was cut, or of which none is left, are. */
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

export async function repairDocument(
  home: Home,
  { key, sort, isMissing }: DamagedDocument,
  atMs: number,
): Promise<Repair> {
  const { store, keys } = home;
  // What is there and says nothing is told by what lies beside it, as after any other damage.
  if (isMissing) await store.putIfAbsent(key, encodeJson({}));
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
