import { z } from 'zod';
import { PRICE_UNITS, type PriceRule } from '../domain/price.js';
import { kindSchema } from './attempt-schema.js';

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
