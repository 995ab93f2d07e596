import { z } from 'zod';
import type { Kind } from '../domain/kind.js';
import { LIVE_WORDS, needsPerson, noCounts, type RowRecord, STATUSES, type Status } from '../domain/outcome.js';
import { kindSchema } from './attempt-schema.js';

/** What is kept of one row so that nobody has to look its record and its attempts up again. */

/** `[status, credits in nano or null, epoch ms, needs a person]` of a row that ended. */
const endSchema = z.tuple([z.enum(STATUSES), z.number().nullable(), z.number(), z.boolean()]);
type RowEnd = z.output<typeof endSchema>;

const entrySchema = z.object({
  index: z.int(),
  id: z.string(),
  kind: kindSchema,
  hash: z.string(),
  isDamaged: z.exactOptional(z.literal(true)),
  /** It ended since its values changed, and starts with its new ones. */
  isReplaced: z.exactOptional(z.literal(true)),
  /** The stamp of its record, as it was read. */
  record: z.exactOptional(z.string()),
  /** The stamp of its attempts, `none` where it has none; absent where they change nothing of what stands here. */
  attempts: z.exactOptional(z.string()),
  end: z.exactOptional(endSchema),
  /** What its record tells of is an earlier render that it took over. */
  isReused: z.exactOptional(z.literal(true)),
  /** Without `end`: what it has cost before it was ordered anew, nano. */
  spent: z.exactOptional(z.number()),
  /** Absent with `end`, and where it was never tried. */
  live: z.exactOptional(z.enum(LIVE_WORDS)),
});

export type IndexEntry = z.output<typeof entrySchema>;

export const entriesSchema = z.array(entrySchema);

/** Of the rows of one kind. */
const kindSumSchema = z.object({
  untried: z.int(),
  /** Under way. */
  live: z.int(),
  /** Done, by a render of the batch that has a known cost, and what they came to. */
  paid: z.int(),
  paidNano: z.number(),
});
export type KindSum = z.output<typeof kindSumSchema>;

export const shardSumSchema = z.object({
  /** Of the folders of its records and of its attempts. */
  records: z.exactOptional(z.string()),
  attempts: z.exactOptional(z.string()),
  /** Ids whose attempts may change what stands of them, with their stamps. */
  watched: z.record(z.string(), z.string()),
  counts: z.record(z.string(), z.int()),
  live: z.record(z.string(), z.int()),
  /** Rows without a record that were never tried. */
  untried: z.int(),
  creditsNano: z.number(),
  creditsUnknown: z.int(),
  forPerson: z.int(),
  kinds: z.partialRecord(kindSchema, kindSumSchema),
  /** When each row ended, epoch ms. */
  endedAtMs: z.array(z.number()),
});
export type ShardSum = z.output<typeof shardSumSchema>;

/** But for the stamps. */
export function sumOf(entries: readonly IndexEntry[]): Omit<ShardSum, 'records' | 'attempts'> {
  const counts: Record<Status, number> = noCounts();
  const amounts = { untried: 0, creditsNano: 0, creditsUnknown: 0, forPerson: 0 };
  const lists = { watched: {}, live: {}, kinds: {}, endedAtMs: [] };
  const sum: Omit<ShardSum, 'records' | 'attempts'> = { counts, ...amounts, ...lists };
  for (const { id, kind, attempts, end, live, isReused, spent = 0 } of entries) {
    sum.creditsNano += spent;
    if (attempts !== undefined && attempts !== 'none') sum.watched[id] = attempts;
    const ofKind = kindOf(sum, kind);
    if (end !== undefined) {
      const [status, creditsNano, atMs, isForPerson] = end;
      counts[status] += 1;
      if (creditsNano === null) sum.creditsUnknown += 1;
      else sum.creditsNano += creditsNano;
      if (status === 'done' && !isReused && creditsNano !== null) {
        ofKind.paid += 1;
        ofKind.paidNano += creditsNano;
      }
      if (isForPerson) sum.forPerson += 1;
      sum.endedAtMs.push(atMs);
    } else if (live !== undefined) {
      sum.live[live] = (sum.live[live] ?? 0) + 1;
      ofKind.live += 1;
    } else {
      sum.untried += 1;
      ofKind.untried += 1;
    }
  }
  return sum;
}

function kindOf({ kinds }: Pick<ShardSum, 'kinds'>, kind: Kind): KindSum {
  const known = kinds[kind] ?? { untried: 0, live: 0, paid: 0, paidNano: 0 };
  kinds[kind] = known;
  return known;
}

export function endOf(record: RowRecord): RowEnd {
  return [record.status, record.creditsNano ?? null, record.finishedAtMs, needsPerson(record)];
}
