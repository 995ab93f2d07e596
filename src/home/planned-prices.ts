import { z } from 'zod';
import type { Kind } from '../domain/kind.js';
import { kindSchema, nanoSchema } from './attempt-schema.js';
import { document } from './document.js';
import type { HomePlace } from './home-keys.js';

/** What the rows of each kind cost, as a batch was planned last; it is shown, and decides nothing. */

const plannedSchema = z.object({
  rows: z.int().positive(),
  /** All of them together. */
  nano: nanoSchema,
  /** No price of a row was a range. */
  isExact: z.boolean(),
});
/** Of kinds with a price that nobody knows there is none. */
export type PlannedPrices = Partial<Record<Kind, z.output<typeof plannedSchema>>>;

export const plannedPrices = document(
  z.object({ schema: z.literal(1), kinds: z.partialRecord(kindSchema, plannedSchema) }),
  (keys, batch: string) => keys.planned(batch),
);

/** Those of other kinds stay. */
export async function notePlannedPrices(home: HomePlace, batch: string, kinds: PlannedPrices): Promise<void> {
  if (Object.keys(kinds).length === 0) return;
  await plannedPrices.change(home, (before) => ({ schema: 1, kinds: { ...before?.kinds, ...kinds } }), batch);
}

/** None of a batch that an older build ran. */
export async function readPlannedPrices(home: HomePlace, batch: string): Promise<PlannedPrices> {
  return (await plannedPrices.read(home, batch))?.kinds ?? {};
}
