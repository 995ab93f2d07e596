/** The vocabulary of faults: what a rule may match and what it may do, checked with zod; unknown words are errors. */
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

/** One schema per action, by its name. */
const ACTIONS = {
  // On the connection or before the request is read: nothing is created.
  'close-unread': z.strictObject({ do: z.literal('close-unread') }),
  'reset-unread': z.strictObject({ do: z.literal('reset-unread') }),
  // Instead of the answer; `created` says whether the request was carried out.
  'reset-before-answer': z.strictObject({ do: z.literal('reset-before-answer'), created }),
  stall: z.strictObject({ do: z.literal('stall'), seconds: seconds.optional(), created }),
  answer: z.strictObject({
    do: z.literal('answer'),
    status: z.number().int().min(200).max(599),
    body: jsonValue.optional(),
    contentType: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    created,
  }),
  refuse: z.strictObject({
    do: z.literal('refuse'),
    code: z.enum(REFUSAL_CODES),
    retryAfter: z.union([z.number(), z.string()]).optional(),
    message: z.string().optional(),
    created,
  }),
  redirect: z.strictObject({
    do: z.literal('redirect'),
    status: z.union([z.literal(301), z.literal(302), z.literal(303), z.literal(307), z.literal(308)]),
    location: z.string(),
    created,
  }),
  // To the bytes of the answer.
  'cut-body': z.strictObject({
    do: z.literal('cut-body'),
    at: z.union([z.number().int().nonnegative(), z.enum(['half', 'inside-handle', 'after-handle'])]),
    framing: z.enum(['content-length', 'chunked', 'close']).optional(),
    end: z.enum(['fin', 'reset']).optional(),
  }),
  drip: z.strictObject({ do: z.literal('drip'), bytesPerSecond: z.number().positive() }),
  'endless-body': z.strictObject({ do: z.literal('endless-body') }),
  'gzip-bomb': z.strictObject({ do: z.literal('gzip-bomb'), megabytes: z.number().int().min(1).max(1024).optional() }),
  // To the job that a submit creates.
  'create-late': z.strictObject({
    do: z.literal('create-late'),
    serviceSeconds,
    answer: z.enum(['reset', 'stall', 'server_error', 'bad_gateway', 'unavailable', 'timeout']).optional(),
  }),
  'double-job': z.strictObject({ do: z.literal('double-job') }),
  'never-ends': z.strictObject({ do: z.literal('never-ends') }),
  'render-seconds': z.strictObject({ do: z.literal('render-seconds'), serviceSeconds }),
  'end-job': z.strictObject({
    do: z.literal('end-job'),
    as: z.enum(['failed', 'cancelled', 'expired']),
    message: z.string().optional(),
  }),
  'late-charge': z.strictObject({ do: z.literal('late-charge'), serviceSeconds }),
  'refund-charge': z.strictObject({ do: z.literal('refund-charge'), serviceSeconds }),
  'follow-up-charge': z.strictObject({
    do: z.literal('follow-up-charge'),
    credits: z.string(),
    serviceSeconds: serviceSeconds.optional(),
  }),
  'expire-output': z.strictObject({ do: z.literal('expire-output') }),
  // Status updates: repeated or left out, late, or with something in them that is not true.
  callbacks: z.strictObject({
    do: z.literal('callbacks'),
    times: z.number().int().min(0).max(10).optional(),
    serviceSeconds: serviceSeconds.optional(),
    forge: z.enum(['handle', 'token', 'size', 'replay']).optional(),
  }),
  // To what a poll says.
  'report-word': z.strictObject({ do: z.literal('report-word'), word: z.string() }),
  'report-first-state': z.strictObject({ do: z.literal('report-first-state') }),
  'without-url': z.strictObject({ do: z.literal('without-url') }),
  // To the account reads.
  'show-old-balance': z.strictObject({ do: z.literal('show-old-balance'), serviceSeconds }),
  'show-balance': z.strictObject({ do: z.literal('show-balance'), value: jsonValue }),
  'add-balance-noise': z.strictObject({ do: z.literal('add-balance-noise'), amount: z.number() }),
  'show-old-discounts': z.strictObject({ do: z.literal('show-old-discounts'), serviceSeconds }),
  // To downloads.
  'ignore-range': z.strictObject({ do: z.literal('ignore-range') }),
  'change-etag': z.strictObject({ do: z.literal('change-etag') }),
  'wrong-content-range': z.strictObject({ do: z.literal('wrong-content-range') }),
} as const;

export type FaultActionName = keyof typeof ACTIONS;
export type FaultActions = { [Name in FaultActionName]: z.infer<(typeof ACTIONS)[Name]> };
export type FaultAction = FaultActions[FaultActionName];

/** Every action name, in the order of the vocabulary. */
export const FAULT_ACTION_NAMES = Object.keys(ACTIONS) as FaultActionName[];

const positive = z.number().int().positive();
const matchSchema = z.strictObject({
  method: z.string().optional(),
  /** A route name (`vendor-f.submit`, `*.poll`, `credits`, `media`, `connection`) or a path (`/v1/vendor-f/*`). */
  route: z.string().optional(),
  /** Counted over the requests that meet the rest of the match, from 1. */
  nth: z.union([positive, z.array(positive).min(1)]).optional(),
  everyNth: positive.optional(),
  probability: z.number().min(0).max(1).optional(),
  /** A job by its id in the ground truth, or by its handle: polls and downloads of that job. */
  jobId: z.string().optional(),
  kind: z.string().optional(),
  account: z.string().optional(),
  bodyContains: z.string().optional(),
});

export type FaultMatch = z.infer<typeof matchSchema>;

/** One fault: when it applies, how often at most, and what happens. Several actions apply together. */
export interface FaultRule {
  name?: string | undefined;
  match: FaultMatch;
  times?: number | undefined;
  action: FaultAction | FaultAction[];
}

const ruleSchema = z.strictObject({
  name: z.string().optional(),
  match: matchSchema,
  times: positive.optional(),
  action: z.unknown(),
});

/**
 * Checks fault rules from JSON (an array, or an object with `faults`). Throws one Error whose message names the rule,
 * the field and, for an unknown action, the known ones.
 */
export function parseEmulatorFaults(json: unknown): FaultRule[] {
  const list = isRecord(json) && Array.isArray(json.faults) ? json.faults : json;
  if (!Array.isArray(list)) throw new Error('fault rules must be a JSON array of {match, action}');
  return list.map((item: unknown, index) => parseRule(item, `fault rule ${index + 1}`));
}

function parseRule(item: unknown, where: string): FaultRule {
  const rule = ruleSchema.safeParse(item);
  if (!rule.success) throw new Error(`${where}: ${firstIssue(rule.error)}`);
  const { action, ...rest } = rule.data;
  if (Array.isArray(action)) {
    if (action.length === 0) throw new Error(`${where}: 'action' is an empty list`);
    return { ...rest, action: action.map((one: unknown) => parseAction(one, where)) };
  }
  return { ...rest, action: parseAction(action, where) };
}

function parseAction(action: unknown, where: string): FaultAction {
  if (!isRecord(action)) throw new Error(`${where}: 'action' must be an object with 'do'`);
  const name = action.do;
  if (typeof name !== 'string' || !Object.hasOwn(ACTIONS, name)) {
    throw new Error(`${where}: unknown action ${JSON.stringify(name)}; known: ${FAULT_ACTION_NAMES.join(', ')}`);
  }
  const parsed = ACTIONS[name as FaultActionName].safeParse(action);
  if (!parsed.success) throw new Error(`${where}: action '${name}': ${firstIssue(parsed.error)}`);
  return parsed.data;
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'not valid';
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
