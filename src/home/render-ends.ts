import { z } from 'zod';
import { isPossible, type RenderEnd } from '../domain/render-times.js';
import { kindSchema } from './attempt-schema.js';
import { document } from './document.js';

/** When an account's latest renders ended, by what they were asked for: kept in its home, never needed to be right. */

/** Renders that take alike: of a kind, its model, and about the seconds of output (null: not known). */
const renderSortSchema = z.object({ kind: kindSchema, model: z.string(), seconds: z.number().nullable() });
export type RenderSort = z.output<typeof renderSortSchema>;

const endSchema: z.ZodType<RenderEnd> = z.tuple([z.number(), z.number()]).refine(isPossible);
const sortSchema = renderSortSchema.extend({ ends: z.array(endSchema).max(100) });

/** The sort that was seen last stands last. */
export const renderEnds = document(
  z.object({ schema: z.literal(1), sorts: z.array(sortSchema) }),
  (keys) => keys.renderEnds,
);
