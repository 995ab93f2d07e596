import { z } from 'zod';
import { REASONS, type ReasonCode } from '../domain/failure.js';
import { FLAGS, type OutputFile, type RowRecord, STATUSES } from '../domain/outcome.js';
import type { Row } from '../domain/row.js';
import { fedInputSchema, jsonObjectSchema, jsonSchema, kindSchema, nanoSchema, timeSchema } from './attempt-schema.js';

/** What rows and their results look like on disk, checked when they are read. */

/** A row with the user's own cells, which failed.csv gives back as they were. */
export interface StoredRow {
  row: Row;
  /** The manifest's cells by column. */
  raw: Record<string, string>;
  /** Stands in for a line that cannot be read; never written. */
  isDamaged?: true;
}

const text = z.string();
const optionalText = z.exactOptional(text);
const optionalNumber = z.exactOptional(z.number());
const optionalTime = z.exactOptional(timeSchema);

const mediaSchema = z.discriminatedUnion('source', [
  z.object({ source: z.literal('url'), url: text }),
  z.object({ source: z.literal('blob'), sha256: text, mediaType: text, bytes: z.int(), seconds: optionalNumber }),
  z.object({ source: z.literal('row'), id: text, at: z.int(), frame: z.exactOptional(z.enum(['first', 'last'])) }),
]);

const rowSchema = z.object({
  index: z.int(),
  line: z.int(),
  id: text,
  kind: kindSchema,
  group: optionalText,
  stem: text,
  cells: jsonObjectSchema,
  media: z.record(text, z.array(mediaSchema)),
  extra: z.exactOptional(jsonObjectSchema),
  passthrough: z.exactOptional(z.record(text, text)),
  shares: z.exactOptional(z.int()),
  hash: text,
}) satisfies z.ZodType<Row>;

export const storedRowSchema: z.ZodType<StoredRow> = z.object({ row: rowSchema, raw: z.record(text, text) });

const outputFileSchema = z.object({
  file: text,
  contentType: text,
  bytes: z.int(),
  sha256: text,
  width: optionalNumber,
  height: optionalNumber,
  durationSeconds: optionalNumber,
  frames: optionalNumber,
  frameRate: optionalNumber,
  etag: optionalText,
  version: optionalText,
}) satisfies z.ZodType<OutputFile>;

export const rowRecordSchema: z.ZodType<RowRecord> = z.object({
  schema: z.literal(1),
  id: text,
  kind: kindSchema,
  status: z.enum(STATUSES),
  reasonCode: z.exactOptional(z.enum(Object.keys(REASONS) as ReasonCode[])),
  reason: optionalText,
  flags: z.array(z.enum(FLAGS)),
  warnings: z.array(text),
  attempts: z.int(),
  files: z.array(outputFileSchema),
  seed: optionalNumber,
  revisedPrompt: optionalText,
  usage: z.exactOptional(jsonSchema),
  creditsNano: z.exactOptional(nanoSchema),
  creditsBasis: z.enum(['measured', 'price-book', 'unknown']),
  handle: optionalText,
  settledTogether: optionalText,
  submittedAtMs: optionalTime,
  renderedAtMs: optionalTime,
  finishedAtMs: timeSchema,
  rerunAtMs: optionalTime,
  hasEarlierFiles: z.exactOptional(z.literal(true)),
  reusedFrom: optionalText,
  inputs: z.exactOptional(z.array(fedInputSchema)),
  rowHash: text,
  keptFor: optionalText,
  seenStates: z.exactOptional(z.int()),
});
