import { z } from 'zod';
import type { Kind } from '../domain/kind.js';
import { fedMedia } from '../domain/row.js';
import { decodeJson } from '../store/json-file.js';
import type { Store } from '../store/port.js';
import { timeSchema } from './attempt-schema.js';
import type { HomeKeys } from './home-keys.js';
import { storedRowSchema } from './row-schema.js';
import type { GenerationFacts } from './rows-writer.js';

/** Documents that say again what lies beside them: made anew from that where they cannot be read. */

const PART_NAME = /^\d{6}\.jsonl$/;
const outSchema = z.object({ out: z.string() });
const createdSchema = z.object({ createdAtMs: timeSchema });

/** Where a batch writes to stands in its options too, and its first manifest says when it began. */
export async function rebuildBinding(store: Store, keys: HomeKeys, batch: string) {
  const options = await store.get(keys.options(batch));
  const out = options && decodeJson(outSchema, options)?.out;
  if (out === undefined) return undefined;
  let createdAtMs = Number.POSITIVE_INFINITY;
  for (const generation of await store.names(keys.generations(batch))) {
    const facts = await store.get(keys.generationFacts(batch, generation));
    createdAtMs = Math.min(createdAtMs, (facts && decodeJson(createdSchema, facts)?.createdAtMs) ?? createdAtMs);
  }
  return { schema: 1 as const, out, createdAtMs: Number.isFinite(createdAtMs) ? createdAtMs : 0 };
}

/** Everything that a generation's facts say stands in its rows, but for the time. */
export async function rebuildGeneration(
  store: Store,
  keys: HomeKeys,
  batch: string,
  generation: string,
): Promise<GenerationFacts | undefined> {
  const names = (await store.names(keys.generation(batch, generation))).filter((name) => PART_NAME.test(name));
  const parts: { rows: number }[] = [];
  const columns = new Set<string>();
  const byKind: Partial<Record<Kind, number>> = {};
  let fed = 0;
  for (const name of names) {
    const bytes = await store.get(`${keys.generation(batch, generation)}/${name}`);
    const lines = Buffer.from(bytes ?? [])
      .toString()
      .split('\n')
      .slice(0, -1);
    parts.push({ rows: lines.length });
    for (const line of lines) {
      const stored = decodeJson(storedRowSchema, Buffer.from(line));
      if (stored === undefined) continue;
      for (const column of Object.keys(stored.raw)) columns.add(column);
      byKind[stored.row.kind] = (byKind[stored.row.kind] ?? 0) + 1;
      if (fedMedia(stored.row).length > 0) fed += 1;
    }
  }
  if (parts.length === 0) return undefined;
  const passthroughColumns = [...columns].filter((column) => column.startsWith('x-'));
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const chains = fed > 0 ? { fed } : {};
  return {
    schema: 1,
    generation,
    rows,
    parts,
    columns: [...columns],
    passthroughColumns,
    byKind,
    ...chains,
    createdAtMs: 0,
  };
}
