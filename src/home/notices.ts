import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Notice, type NoticeTarget, targetLabel } from '../domain/notice.js';
import { encodeAs, forgotten, readJson } from '../store/json-file.js';
import { isSafeSegment } from '../store/port.js';
import { timeSchema } from './attempt-schema.js';
import type { HomePlace } from './home-keys.js';

/**
 * What is to be told of the batches of an account, until it is delivered or dropped. Targets stand here by a hash: the
 * path of a webhook is often its password.
 */

const noticeSchema: z.ZodType<Notice> = z.object({
  schema: z.literal(1),
  id: z.string(),
  type: z.enum(['done', 'sampled', 'review_needed', 'paused', 'budget', 'no_progress', 'late_output', 'test']),
  atMs: timeSchema,
  account: z.string(),
  batch: z.string().nullable(),
  counts: z.exactOptional(z.record(z.string(), z.int())),
  credits: z.exactOptional(z.string().nullable()),
  reason: z.exactOptional(z.string()),
  percent: z.exactOptional(z.number()),
  minutes: z.exactOptional(z.number()),
});

const waitSchema = z.object({
  mark: z.string(),
  /** What a view may show of it. */
  label: z.string(),
});
/** A target that a notice waits for. */
export type NoticeWait = z.output<typeof waitSchema>;

export const waitingSchema = z.object({
  schema: z.literal(1),
  notice: noticeSchema,
  waits: z.array(waitSchema),
});
export type KeptNotice = z.output<typeof waitingSchema> & { key: string };

/** What was told of a batch so far, so that nothing is told twice for nothing. */
export const toldSchema = z.object({
  schema: z.literal(1),
  /** The number of the next notice. */
  next: z.int(),
  told: z.array(z.string()),
  /** How many rows had ended when the batch moved last, and when that was; while it is paused that goes on. */
  moved: z.exactOptional(z.object({ rows: z.int(), atMs: timeSchema })),
  /** Of the rows that need a person, as far as they were told: how many, when the latest ended, and when it was told. */
  forPerson: z.exactOptional(z.object({ rows: z.int(), latestMs: timeSchema, toldMs: timeSchema })),
  /** Why notices were dropped, the latest last. */
  dropped: z.array(z.object({ label: z.string(), type: z.string(), why: z.string(), atMs: timeSchema })),
});
export type ToldOfBatch = z.output<typeof toldSchema>;

const sinceSchema = z.object({ schema: z.literal(1), sinceMs: timeSchema });

export type Notices = ReturnType<typeof openNotices>;

export function openNotices({ store, keys }: HomePlace) {
  const firstNamed = () => readJson(store, keys.noticesSince, sinceSchema, forgotten);
  return {
    /** Whether a worker of the account knew a target, now or before. */
    wasNamed: async (): Promise<boolean> => (await firstNamed()) !== undefined,
    /** Since when ends of batches are told; set at the first call. */
    async since(nowMs: number): Promise<number> {
      const known = await firstNamed();
      if (known === undefined) await store.put(keys.noticesSince, encodeAs(sinceSchema, { schema: 1, sinceMs: nowMs }));
      return known?.sinceMs ?? nowMs;
    },
    told: async (batch: string): Promise<ToldOfBatch> =>
      (await readJson(store, keys.noticesTold(batch), toldSchema, forgotten)) ?? nothingTold(),
    writeTold: (batch: string, told: ToldOfBatch): Promise<void> =>
      store.put(keys.noticesTold(batch), encodeAs(toldSchema, told)),
    /** Keeps a notice for its targets; keys sort in the order of the numbers. */
    add: (batch: string, number: number, notice: Notice, waits: NoticeWait[]): Promise<void> =>
      store.put(keys.notice(batch, number), encodeAs(waitingSchema, { schema: 1, notice, waits })),
    /** The batches of which something may wait. */
    batches: async (): Promise<string[]> => (await store.names(keys.noticesWaiting)).filter(isSafeSegment),
    /** What waits of a batch, oldest first, with its key. */
    async waiting(batch: string): Promise<KeptNotice[]> {
      const folder = keys.noticesOf(batch);
      const names = (await store.names(folder)).map((name) => `${folder}/${name}`);
      const found = await Promise.all(names.map((key) => readJson(store, key, waitingSchema, forgotten)));
      return found.flatMap((one, i) => (one === undefined ? [] : [{ ...one, key: names[i] ?? '' }]));
    },
    remove: ({ key }: KeptNotice): Promise<void> => store.remove(key),
    /** A target needs a notice no more: it leaves what waits, and the last one takes the notice with it. */
    async settle(one: KeptNotice, mark: string): Promise<void> {
      const { key, notice } = one;
      one.waits = one.waits.filter((target) => target.mark !== mark);
      if (one.waits.length === 0) await store.remove(key);
      else await store.put(key, encodeAs(waitingSchema, { schema: 1, notice, waits: one.waits }));
    },
  };
}

export function waitOf({ to }: Pick<NoticeTarget, 'to'>): NoticeWait {
  return { mark: markOf(to), label: targetLabel(to) };
}

/** Tells a target from others without showing any of it. */
export function markOf(to: string): string {
  return createHash('sha256').update(to).digest('hex').slice(0, 16);
}

function nothingTold(): ToldOfBatch {
  return { schema: 1, next: 1, told: [], dropped: [] };
}
