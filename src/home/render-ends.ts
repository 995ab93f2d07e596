import { z } from 'zod';
import type { RenderEnd } from '../domain/render-times.js';
import { kindSchema } from './attempt-schema.js';
import { document } from './document.js';

/** When an account's latest renders ended, by what they were asked for: kept in its home, never needed to be right. */

const msSchema = z.number().nonnegative();

/** Renders that take alike: of a kind, its model, and the seconds of output that were asked for (null: not named). */
export const renderSortSchema = z.object({ kind: kindSchema, model: z.string(), seconds: z.number().nullable() });
export type RenderSort = z.output<typeof renderSortSchema>;

const endSchema: z.ZodType<RenderEnd> = z.tuple([msSchema, msSchema]);

/** The sort that was seen last stands last. */
export const renderEnds = document(
  z.object({ schema: z.literal(1), sorts: z.array(renderSortSchema.extend({ ends: z.array(endSchema) })) }),
  (keys) => keys.renderEnds,
);
