import { type AttemptRef, intentOf } from '../domain/attempt.js';
import { encodeJson } from '../store/json-file.js';
import { worstBooking } from './charge-book.js';
import type { Home } from './home.js';
import { parseIndexKey } from './home-keys.js';
import { loadAttempt } from './load-attempts.js';
import type { DamagedDocument } from './verify-documents.js';

/** Sets damaged documents aside and makes anew what can be told from what lies beside them. */

/** `rebuilt`: it is there again. `set aside`: what it said is told by the attempts. `left`: it stays as it is. */
export type Repair = 'rebuilt' | 'set aside' | 'left';

export async function repairDocument(home: Home, { key, sort }: DamagedDocument, atMs: number): Promise<Repair> {
  const { store, account, keys } = home;
  if (sort.mended !== 'again') return 'left';
  const open = parseIndexKey(keys.opens, key);
  // With neither the entry nor the claim to be read, its being there is all that says that something may run.
  if (key.startsWith(`${keys.opens}/`) && open && (await isClaimTorn(home, open))) return 'left';
  const bytes = await store.get(key);
  if (bytes === undefined) return 'set aside';
  await store.put(`${account}/set-aside/${atMs}/${key.slice(account.length + 1)}`, bytes);
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
  if (intent === undefined) return undefined;
  const { kind, generation, part, index, atMs } = intent;
  return { kind, generation, part, index, atMs };
}
