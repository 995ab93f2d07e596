/** What a fault may do: one schema per action, checked with zod. */
import * as z from 'zod';

const seconds = z.number().nonnegative();
// Faults on the wire last real seconds, because a client's time-outs are real; faults of the service itself last
// service seconds, which the emulator's speed divides like its render times.
const serviceSeconds = z.number().nonnegative();
const created = z.boolean().optional();

/** Refusals and failures that `refuse` sends in their documented form. */
const REFUSAL_CODES = [
  'missing_api_key',
  'invalid_key_format',
  'invalid_api_key',
  'key_revoked',
  'key_expired',
  'insufficient_credits',
  'model_not_available',
  'rpm_limit_exceeded',
  'concurrent_limit_exceeded',
  'engine_error',
  'engine_timeout',
  'output_too_large',
  'server_error',
  'bad_gateway',
  'unavailable',
  'timeout',
  'vendor-f_unreachable',
  'pass_through_not_enabled',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

const jsonValue = z.json();
const errorStatus = z.number().int().min(400).max(599);

/** The bodies that gateways put in place of an answer. */
export const GATEWAY_BODIES = ['error-code', 'code-message', 'error-message', 'html', 'text', 'empty'] as const;

/** What each action takes beside its name. */
const SHAPES = {
  // On the connection or before the request is read: nothing is created.
  'close-unread': {},
  'reset-unread': {},
  // Instead of the answer; `created` says whether the request was carried out.
  'reset-before-answer': { created },
  stall: { seconds: seconds.optional(), created },
  answer: {
    status: z.number().int().min(200).max(599),
    body: jsonValue.optional(),
    contentType: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    created,
  },
  refuse: {
    code: z.enum(REFUSAL_CODES),
    retryAfter: z.union([z.number(), z.string()]).optional(),
    message: z.string().optional(),
    created,
  },
  // A gateway's own words in place of the answer. With `created` the request is carried out; `serviceSeconds` then says
  // after how long the gateway gives up, while the service goes on.
  gateway: { status: errorStatus, body: z.enum(GATEWAY_BODIES), created, serviceSeconds: serviceSeconds.optional() },
  // An error in whose body the handle stands at its documented place: the job was created.
  'error-with-handle': { status: errorStatus },
  // The last 2xx answer of this route again, as a cache gives it; a plain answer where there was none.
  'cached-answer': { created },
  redirect: { status: z.literal([301, 302, 303, 307, 308]), location: z.string(), created },
  // To the bytes of the answer.
  'cut-body': {
    at: z.union([z.number().int().nonnegative(), z.enum(['half', 'inside-handle', 'after-handle'])]),
    framing: z.enum(['content-length', 'chunked', 'close']).optional(),
    end: z.enum(['fin', 'reset']).optional(),
  },
  // Bytes that arrive steadily; see DRIP.
  drip: {},
  // Bytes around the body that do not belong to it: a byte-order mark or blanks before, padding after.
  'pad-body': { before: z.string().optional(), bytesAfter: z.number().int().positive().optional() },
  'encode-gzip': {},
  'endless-body': {},
  'gzip-bomb': { megabytes: z.number().int().min(1).max(1024).optional() },
  // To the job that a submit creates.
  'create-late': {
    /** Default: drawn from the assumption `lateCreationSeconds`. */
    serviceSeconds: serviceSeconds.optional(),
    answer: z.enum(['reset', 'stall', 'server_error', 'bad_gateway', 'unavailable', 'timeout']).optional(),
  },
  'double-job': {},
  'never-ends': {},
  'render-seconds': { serviceSeconds },
  'end-job': { as: z.enum(['failed', 'cancelled', 'expired']), message: z.string().optional() },
  'late-charge': { serviceSeconds },
  'refund-charge': { serviceSeconds },
  'follow-up-charge': { credits: z.string(), serviceSeconds: serviceSeconds.optional() },
  'expire-output': {},
  // The output is refused until so long after the end, and is there from then on.
  'output-late': { status: z.literal([403, 404]).optional(), serviceSeconds },
  // Status updates: repeated or left out, late, or with something in them that is not true.
  callbacks: {
    times: z.number().int().min(0).max(10).optional(),
    serviceSeconds: serviceSeconds.optional(),
    forge: z.enum(['handle', 'token', 'size', 'replay']).optional(),
  },
  // To what a poll says.
  'report-word': { word: z.string() },
  'report-first-state': {},
  'without-url': {},
  // In place of what a success counts: an avatar's or a film's seconds, vendor-d's tokens, vendor-e's output seconds.
  'report-quantity': { value: jsonValue },
  // To the account, at the moment of a request or so long after it.
  'top-up': {
    credits: z.string().regex(/^\d{1,7}(\.\d{1,9})?$/, 'must be a decimal string such as "20"'),
    serviceSeconds: serviceSeconds.optional(),
  },
  // To the account reads.
  'show-old-balance': { serviceSeconds },
  'show-balance': { value: jsonValue },
  'add-balance-noise': { amount: z.number() },
  'show-old-discounts': { serviceSeconds },
  // To downloads.
  'ignore-range': {},
  'change-etag': {},
  'wrong-content-range': {},
} as const;

/** Bytes that arrive steadily: at a rate, or spread over a time whatever their number. */
const DRIP = z.union([
  z.strictObject({ do: z.literal('drip'), bytesPerSecond: z.number().positive() }),
  z.strictObject({ do: z.literal('drip'), overSeconds: z.number().positive() }),
]);

type Shapes = Omit<typeof SHAPES, 'drip'>;
export type FaultActions = {
  [Name in keyof Shapes]: z.infer<z.ZodObject<Shapes[Name] & { do: z.ZodLiteral<Name> }>>;
} & { drip: z.infer<typeof DRIP> };
export type FaultActionName = keyof FaultActions;
export type FaultAction = FaultActions[FaultActionName];

/** One schema per action, by its name. */
export const FAULT_ACTIONS = Object.fromEntries(
  Object.entries(SHAPES).map(([name, shape]) => [name, z.strictObject({ do: z.literal(name), ...shape })]),
) as Record<string, z.ZodType> as Record<FaultActionName, z.ZodType<FaultAction>>;
FAULT_ACTIONS.drip = DRIP;

/** Every action name, in the order of the vocabulary. */
export const FAULT_ACTION_NAMES = Object.keys(FAULT_ACTIONS) as FaultActionName[];
