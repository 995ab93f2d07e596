import { z } from 'zod';
import { encodeJson, readJson } from '../store/json-file.js';
import { nanoSchema, timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

/**
 * A batch of which a sample is run first: until a person approves the rest, nothing but the sample's rows is submitted.
 * It stands in the home, where whatever opens a row or sends a request looks it up: a message cannot get around it.
 */
export interface SampleGate {
  /** The rows that may run. */
  ids: string[];
  atMs: number;
  /** The manifest that was approved, with what the rest may cost; absent until then. Another manifest asks again. */
  approved?: { generation: string; maxCreditsNano: number | null; atMs: number };
}

export const sampleGateSchema = z.object({
  schema: z.literal(1),
  ids: z.array(z.string()),
  atMs: timeSchema,
  approved: z.exactOptional(
    z.object({ generation: z.string(), maxCreditsNano: nanoSchema.nullable(), atMs: timeSchema }),
  ),
});

export async function writeSampleGate(home: Home, batch: string, gate: SampleGate): Promise<void> {
  await home.store.put(gateKey(home, batch), encodeJson({ schema: 1, ...gate }));
}

/** Undefined for a batch that was never run by a sample. One that cannot be read lets nothing through. */
export async function readSampleGate(home: Home, batch: string): Promise<SampleGate | undefined> {
  return readJson(home.store, gateKey(home, batch), sampleGateSchema, () => ({ schema: 1 as const, ids: [], atMs: 0 }));
}

/** The rows that may run while the rest of this manifest waits for its approval; undefined where all may. */
export async function sampleInForce(
  home: Home,
  batch: string,
  generation: string,
): Promise<ReadonlySet<string> | undefined> {
  const gate = await readSampleGate(home, batch);
  return gate === undefined || gate.approved?.generation === generation ? undefined : new Set(gate.ids);
}

function gateKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'sample.json');
}
