/** Decides which faults apply to a request: rules matched by route, by n-th request, by chance from the seed, by job. */

import { createRandom, type Random } from '../model/random.js';
import type { FaultAction, FaultActionName, FaultActions } from './fault-actions.js';
import type { FaultMatch, FaultRule } from './faults.js';

/** What a rule can look at. */
export interface FaultSubject {
  method: string;
  path: string;
  /** The route's names: `vendor-a.submit` and `vendor-a.text2video`. */
  names: readonly string[];
  account?: string | undefined;
  kind?: string | undefined;
  /** The id and the handle of the job that a poll or download is about. */
  jobKeys?: readonly string[] | undefined;
  bodyText?: string | undefined;
}

/**
 * The stages at which faults are decided: when a connection opens, when the headers have arrived and nothing is read,
 * and when the request was read and let in.
 */
type FaultStage = 'connection' | 'unread' | 'read';

/** The faults that apply to one request. */
export interface AppliedFaults {
  get<Name extends FaultActionName>(name: Name): FaultActions[Name] | undefined;
  /** Names of the actions, for the ground truth. */
  readonly names: readonly string[];
}

export const NO_FAULTS: AppliedFaults = { get: () => undefined, names: [] };

export interface FaultEngine {
  set(rules: readonly FaultRule[]): void;
  match(stage: FaultStage, subject: FaultSubject): AppliedFaults;
  /** How often each rule has met a request and was applied, in the order of the rules. */
  counts(): { name: string; seen: number; applied: number }[];
}

interface RuleState {
  rule: FaultRule;
  actions: FaultAction[];
  stage: FaultStage;
  random: Random;
  seen: number;
  applied: number;
}

const UNREAD_ACTIONS: readonly FaultActionName[] = ['close-unread', 'reset-unread'];
const CONNECTION_ACTIONS: readonly FaultActionName[] = [...UNREAD_ACTIONS, 'stall'];

/** `checkRoute` throws where no request can meet the route of a rule. */
export function createFaultEngine(
  seed: number,
  initial: readonly FaultRule[],
  checkRoute: (route: string) => void,
): FaultEngine {
  let states: RuleState[] = [];
  const engine: FaultEngine = {
    set(rules) {
      for (const [index, { name, match }] of rules.entries()) {
        if (match.route !== undefined) naming(name ?? `fault rule ${index + 1}`, () => checkRoute(match.route ?? ''));
      }
      states = rules.map((rule, index) => stateOf(rule, seed, index));
    },
    match(stage, subject) {
      const actions: FaultAction[] = [];
      for (const state of states) {
        if (state.stage === stage && isHit(state, subject)) actions.push(...state.actions);
      }
      return actions.length === 0 ? NO_FAULTS : appliedFaults(actions);
    },
    counts: () =>
      states.map((state, index) => ({
        name: state.rule.name ?? `rule ${index + 1}`,
        seen: state.seen,
        applied: state.applied,
      })),
  };
  engine.set(initial);
  return engine;
}

function stateOf(rule: FaultRule, seed: number, index: number): RuleState {
  const actions = Array.isArray(rule.action) ? rule.action : [rule.action];
  const names = actions.map((action) => action.do);
  const label = rule.name ?? `fault rule ${index + 1}`;
  let stage: FaultStage = 'read';
  if (rule.match.route === 'connection') {
    stage = 'connection';
    const odd = names.find((name) => !CONNECTION_ACTIONS.includes(name));
    if (odd !== undefined)
      throw new Error(`${label}: on route 'connection' only ${CONNECTION_ACTIONS.join(', ')} work`);
  } else if (names.some((name) => UNREAD_ACTIONS.includes(name))) {
    stage = 'unread';
    if (names.length > 1)
      throw new Error(`${label}: '${names.join(', ')}' cannot be combined: nothing else can follow`);
    if (rule.match.bodyContains !== undefined) {
      throw new Error(`${label}: '${names[0]}' does not read the request, so it cannot match bodyContains`);
    }
  }
  return { rule, actions, stage, random: createRandom(seed, `fault ${index}`), seen: 0, applied: 0 };
}

function isHit(state: RuleState, subject: FaultSubject): boolean {
  const { match, times } = state.rule;
  if (!meets(match, subject)) return false;
  state.seen += 1;
  if (times !== undefined && state.applied >= times) return false;
  if (match.nth !== undefined && ![match.nth].flat().includes(state.seen)) return false;
  if (match.everyNth !== undefined && state.seen % match.everyNth !== 0) return false;
  if (match.probability !== undefined && state.random.next() >= match.probability) return false;
  state.applied += 1;
  return true;
}

function meets(match: FaultMatch, subject: FaultSubject): boolean {
  if (match.method !== undefined && match.method.toUpperCase() !== subject.method) return false;
  if (match.route !== undefined && !meetsRoute(match.route, subject)) return false;
  if (match.account !== undefined && match.account !== subject.account) return false;
  if (match.kind !== undefined && match.kind !== subject.kind) return false;
  if (match.jobId !== undefined && !(subject.jobKeys ?? []).includes(match.jobId)) return false;
  return match.bodyContains === undefined || (subject.bodyText ?? '').includes(match.bodyContains);
}

function meetsRoute(route: string, subject: FaultSubject): boolean {
  const candidates = route.startsWith('/') ? [subject.path] : subject.names;
  if (!route.includes('*')) return candidates.includes(route);
  const expression = asPattern(route);
  return candidates.some((candidate) => expression.test(candidate));
}

/** The faults of these actions together. */
export function appliedFaults(actions: readonly FaultAction[]): AppliedFaults {
  return {
    names: actions.map((action) => action.do),
    get<Name extends FaultActionName>(name: Name): FaultActions[Name] | undefined {
      // The first rule that names an action wins, so that a special rule can stand before a general one.
      return actions.find((action): action is FaultActions[Name] => action.do === name);
    },
  };
}

function naming(label: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Error(`${label}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The characters of a pattern, `*` standing for any. */
export function asPattern(route: string): RegExp {
  const parts = route.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
