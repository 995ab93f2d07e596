import { decodeJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import type { Store } from '../store/port.js';
import { type DocumentSort, sortOf } from './documents.js';
import type { Home } from './home.js';

/** Walks over every document of an account in constant memory and changes nothing. */

export interface DamagedDocument {
  key: string;
  sort: DocumentSort;
}

const AT_ONCE = 256;
const WIDTH = 16;

/** How many documents were read, and which of them cannot be understood, the first ones. */
export interface DocumentFacts {
  documents: number;
  damaged: number;
  shown: DamagedDocument[];
}

const SHOWN_MAX = 100;

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

/** One that went away meanwhile is not damaged. */
async function isDamaged(store: Store, { key, sort }: DamagedDocument): Promise<boolean> {
  const bytes = await store.get(key);
  if (bytes === undefined) return false;
  if (!sort.isLines) return decodeJson(sort.schema, bytes) === undefined;
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  const isCut = lines.pop() !== '';
  return isCut || lines.some((line) => decodeJson(sort.schema, Buffer.from(line)) === undefined);
}
