/** Fault rules: what a rule may match, read from JSON with zod; unknown words are errors. */
import * as z from 'zod';
import { FAULT_ACTION_NAMES, FAULT_ACTIONS, type FaultAction, type FaultActionName } from './fault-actions.js';

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
  if (typeof name !== 'string' || !Object.hasOwn(FAULT_ACTIONS, name)) {
    throw new Error(`${where}: unknown action ${JSON.stringify(name)}; known: ${FAULT_ACTION_NAMES.join(', ')}`);
  }
  const parsed = FAULT_ACTIONS[name as FaultActionName].safeParse(action);
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
