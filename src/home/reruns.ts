import { z } from 'zod';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import type { Home } from './home.js';

/** Which rows of a batch a person had rendered again: without any, nobody has to compare what feeds with what fed. */

export const rerunsSchema = z.object({ schema: z.literal(1), ids: z.array(z.string()) });

export async function noteReruns(home: Home, batch: string, ids: readonly string[]): Promise<void> {
  const all = new Set([...(await rerunIds(home, batch)), ...ids]);
  await home.store.put(rerunsKey(home, batch), encodeJson({ schema: 1, ids: [...all] }));
}

export async function rerunIds(home: Home, batch: string): Promise<readonly string[]> {
  return (await readJson(home.store, rerunsKey(home, batch), rerunsSchema, forgotten))?.ids ?? [];
}

function rerunsKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'reruns.json');
}
