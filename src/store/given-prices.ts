import { z } from 'zod';
import { PRICE_UNITS, type PriceRule } from '../domain/price.js';
import { kindSchema } from './attempt-schema.js';
import type { Home } from './home.js';
import { encodeAs, forgotten, readJson } from './json-file.js';

export const priceRuleSchema: z.ZodType<PriceRule> = z.object({
  kind: kindSchema.exactOptional(),
  model: z.string().exactOptional(),
  tier: z.string().exactOptional(),
  steps: z.number().exactOptional(),
  resolution: z.string().exactOptional(),
  mode: z.string().exactOptional(),
  audio: z.boolean().exactOptional(),
  sound: z.string().exactOptional(),
  components: z.array(
    z.object({
      unit: z.enum(PRICE_UNITS),
      credits: z.string(),
      above: z.number().exactOptional(),
      upTo: z.number().exactOptional(),
    }),
  ),
});

/**
 * The price rules that a command gave this account last: a command without any, that only goes on with what runs, must
 * not make the prices of open batches unknown.
 */
export const givenPricesSchema: z.ZodType<{ schema: 1; prices: PriceRule[] }> = z.object({
  schema: z.literal(1),
  prices: z.array(priceRuleSchema),
});

export async function readGivenPrices({ store, keys }: Home): Promise<readonly PriceRule[]> {
  return (await readJson(store, keys.givenPrices, givenPricesSchema, forgotten))?.prices ?? [];
}

export async function writeGivenPrices({ store, keys }: Home, prices: readonly PriceRule[]): Promise<void> {
  await store.put(keys.givenPrices, encodeAs(givenPricesSchema, { schema: 1, prices: [...prices] }));
}
