import { z } from 'zod';
import type { AttemptState, Decision, Intent, RecordedOutput } from '../domain/attempt.js';
import type { ResultFacts } from '../domain/exchange.js';
import { isJsonObject, type Json } from '../domain/json.js';
import type { FedInput } from '../domain/row.js';
import { KINDS } from '../kinds/facts.js';

/** What the records of the ledger look like on disk: the domain's attempt states, checked when they are read. */

export const kindSchema = z.enum(KINDS);
/** A value that came out of JSON.parse is JSON; it must only be there. */
export const jsonSchema = z.custom<Json>((value) => value !== undefined);
export const jsonObjectSchema = z.custom<Record<string, Json>>(isJsonObject);
export const nanoSchema = z.int();
export const timeSchema = z.number().nonnegative();

const text = z.string();
const optionalText = z.exactOptional(text);
const optionalNumber = z.exactOptional(z.number());

const evidence = z.object({
  rule: text,
  callerGone: z.exactOptional(z.literal(true)),
  phase: optionalText,
  status: optionalNumber,
  code: optionalText,
  message: text,
  answer: optionalText,
  outputUrl: optionalText,
});

const output = z.object({
  url: optionalText,
  blobSha256: optionalText,
  width: optionalNumber,
  height: optionalNumber,
  durationSeconds: optionalNumber,
  frames: optionalNumber,
  frameRate: optionalNumber,
}) satisfies z.ZodType<RecordedOutput>;

const facts = z.object({
  seed: optionalNumber,
  revisedPrompt: optionalText,
  billedSeconds: optionalNumber,
  shownSeconds: z.exactOptional(z.array(z.number())),
  billedTokens: optionalNumber,
  usage: z.exactOptional(jsonSchema),
  warnings: z.exactOptional(z.array(text)),
  mayBeUnbilled: z.exactOptional(z.literal(true)),
}) satisfies z.ZodType<ResultFacts>;

const by = z.object({ who: text, why: optionalText }) satisfies z.ZodType<Decision>;

const next = z.enum([
  'retry_backoff',
  'wait_provider',
  'wait_turn',
  'wait_gateway',
  'wait_slot',
  'retry_sync',
  'retry_as_url',
  'pause_key',
  'pause_credits',
  'fail_row',
  'fail_size',
  'fail_model',
  'fail_route',
]);

const state = <Word extends string>(word: Word) => ({ state: z.literal(word), atMs: timeSchema });

export const fedInputSchema = z.object({ row: text, sha256: text }) satisfies z.ZodType<FedInput>;

export const intentSchema = z.object({
  ...state('intent'),
  nonce: text,
  callbackToken: optionalText,
  rowHash: text,
  caller: optionalText,
  kind: kindSchema,
  generation: text,
  part: z.int(),
  index: z.int(),
  expected: z.object({ lo: nanoSchema, hi: nanoSchema.nullable() }).nullable(),
  inputs: z.exactOptional(z.array(fedInputSchema)),
  balance: z.exactOptional(z.object({ nano: nanoSchema, atMs: timeSchema })),
});

export const attemptStateSchema: z.ZodType<AttemptState> = z.discriminatedUnion('state', [
  intentSchema,
  z.object({ ...state('void'), why: text }),
  z.object({
    ...state('refused'),
    rule: text,
    next,
    status: optionalNumber,
    code: optionalText,
    message: text,
    requestId: optionalText,
    retryAfterMs: optionalNumber,
  }),
  z.object({ ...state('created'), handle: text, warning: optionalText }),
  z.object({ ...state('done'), outputs: z.array(output), facts }),
  z.object({ ...state('created_lost'), evidence, salvagedHandle: optionalText }),
  z.object({ ...state('unknown'), evidence }),
  z.object({
    ...state('verdict'),
    verdict: z.enum(['billed', 'not_billed', 'undecided']),
    sentence: text,
    group: optionalText,
    byPerson: z.exactOptional(z.literal(true)),
  }),
  z.object({ ...state('attached'), handle: text, by }),
  z.object({ ...state('ruled'), ruling: z.enum(['billed', 'not_billed']), by }),
  z.object({ ...state('overridden'), cause: z.enum(['person', 'always', 'sync', 'rerun']), by }),
  z.object({ ...state('rendered'), outputs: z.array(output), facts }),
  z.object({ ...state('ended'), word: text, code: optionalText, message: text }),
]);

/** What the open-attempt index says of an attempt: enough to hold its slot without opening the batch's rows. */
export const openFactsSchema = z.object({
  kind: kindSchema,
  generation: text,
  part: z.int(),
  index: z.int(),
  atMs: timeSchema,
});
export type OpenFacts = z.output<typeof openFactsSchema>;

export function openFactsOf({ kind, generation, part, index, atMs }: Intent): OpenFacts {
  return { kind, generation, part, index, atMs };
}
