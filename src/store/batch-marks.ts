import type { Home } from './home.js';
import { encodeJson } from './json-file.js';

/** Marks that a person put on a whole batch. A cancelled batch's untouched rows count as cancelled until a retry. */

export async function markCancelled(home: Home, batch: string, atMs: number): Promise<void> {
  await home.store.put(cancelledKey(home, batch), encodeJson({ schema: 1, atMs }));
}

export async function clearCancelled(home: Home, batch: string): Promise<void> {
  await home.store.remove(cancelledKey(home, batch));
}

export async function isCancelledBatch(home: Home, batch: string): Promise<boolean> {
  return (await home.store.get(cancelledKey(home, batch))) !== undefined;
}

function cancelledKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'cancelled.json');
}
