import { type FaultAction, GATEWAY_BODIES } from '../emulator/faults/fault-actions.js';
import { appliedFaults, type FaultEngine, NO_FAULTS } from '../emulator/faults/fault-engine.js';
import { familyOf, longestRenderMs, SYNC_MAX_MS } from './assumptions.js';
import type { Sim } from './engine/current.js';
import { rowKindOf } from './rows.js';
import type { Fault, Scenario } from './scenario.js';

/** The emulator's faults, drawn at each request in place of rules; and how long each render takes within what may be. */

/** How much later than the product was told, where that assumption is broken. */
const BROKEN_THETA = 3;
const STATUSES = [500, 502, 503, 504] as const;
const FAILURES = ['server_error', 'bad_gateway', 'unavailable', 'timeout'] as const;

/** `isKnownAnswer` says whether the product has the last answer of a route. */
export function createServiceFaults(
  sim: Sim,
  scenario: Scenario,
  isKnownAnswer: (route: string) => boolean,
): FaultEngine {
  const random = sim.random.fork('service');
  const { faults, broken, assumptions, waits } = scenario;
  const draws = (fault: Fault): boolean => scenario.isTroubled(sim.scheduler.now()) && random.chance(faults[fault]);

  return {
    set: () => undefined,
    counts: () => [],
    match(stage, { method, path, names }) {
      if (stage !== 'read' || names.includes('media')) return NO_FAULTS;
      const actions =
        method === 'POST'
          ? ofSubmit(names)
          : path === '/v1/credits'
            ? ofCredits()
            : path === '/v1/discounts'
              ? []
              : ofPoll();
      return actions.length === 0 ? NO_FAULTS : appliedFaults(actions);
    },
  };

  function ofSubmit(names: readonly string[]): FaultAction[] {
    const kind = names.find((name) => name.includes('/')) ?? '';
    const isCall = rowKindOf(kind).charge === 'at-success';
    const instead = insteadOfAnswer(kind, isCall, names[0] ?? '');
    return [...(instead === undefined ? [] : [instead]), ...ofJob(kind, isCall)];
  }

  function insteadOfAnswer(kind: string, isCall: boolean, route: string): FaultAction | undefined {
    if (draws('tooMany')) {
      const retryAfter = random.chance(0.5) ? random.pick(['3', '1000000000', '-5']) : undefined;
      return { do: 'refuse', code: 'rpm_limit_exceeded', ...(retryAfter === undefined ? {} : { retryAfter }) };
    }
    if (draws('badRequest')) return { do: 'answer', status: 400, body: { detail: 'the prompt is not allowed' } };
    if (kind === 'vendor-f/video' && draws('unreachable')) return { do: 'refuse', code: 'vendor-f_unreachable' };
    if (draws('errorUncreated')) {
      return random.chance(0.5) ? { do: 'refuse', code: random.pick(FAILURES) } : gateway(false);
    }
    if (!isCall && draws('cachedAnswer') && isKnownAnswer(route))
      return { do: 'cached-answer', created: random.chance(0.5) };
    if (draws('lateCreated')) return createLate();
    if (draws('errorCreated')) return gateway(true);
    if (!isCall && draws('handleInError')) return { do: 'error-with-handle', status: random.pick(STATUSES) };
    if (draws('wrongAnswer'))
      return { do: 'answer', status: 200, body: random.pick(['<html></html>', {}, []]), created: true };
    return random.chance(0.03) ? { do: 'answer', status: 202, created: true } : undefined;
  }

  function gateway(created: boolean): FaultAction {
    const status = random.pick([...STATUSES, 408, 425]);
    // An error object alone is no word of the service, whatever its code.
    if (!created && random.chance(0.15)) {
      const error = { code: 'engine_error', message: 'upstream request timeout', request_id: 'gw-1' };
      return { do: 'answer', status, body: { error } };
    }
    const gaveUp = created ? { serviceSeconds: random.between(0.1, 5) } : {};
    return { do: 'gateway', status, body: random.pick(GATEWAY_BODIES), created, ...gaveUp };
  }

  function createLate(): FaultAction {
    const [min, max] = assumptions.lateCreationSeconds;
    const most = broken === 'theta' ? BROKEN_THETA * max : max;
    return { do: 'create-late', serviceSeconds: random.pick([most, random.between(min, most)]), answer: 'reset' };
  }

  /** Most renders are short; some last as long as any may in this seed. */
  function ofJob(kind: string, isCall: boolean): FaultAction[] {
    const actions: FaultAction[] = [];
    const [min, max] = assumptions.renderSeconds[familyOf(kind)];
    // An avatar's follow from its speech.
    if (max > 0) {
      const usual = random.between(min, Math.min(max, isCall ? 15 : 240));
      let seconds = random.chance(0.1) ? random.pick([max, random.between(min, max)]) : usual;
      if (kind === 'svc/clip' && draws('endOfCall')) seconds = 121;
      if (broken === 'dmax' && random.chance(0.3))
        seconds += (random.between(1, 2) * (longestRenderMs(kind, waits) + SYNC_MAX_MS)) / 1000;
      actions.push({ do: 'render-seconds', serviceSeconds: seconds });
    }
    if (draws('renderFails'))
      actions.push({ do: 'end-job', as: isCall ? 'failed' : random.pick(['failed', 'cancelled', 'expired']) });
    if (broken === 'timing' && random.chance(0.5))
      actions.push({ do: 'late-charge', serviceSeconds: (2 * longestRenderMs(kind, waits)) / 1000 });
    return actions;
  }

  function ofCredits(): FaultAction[] {
    if (!draws('readFails')) return random.chance(0.2) ? [{ do: 'add-balance-noise', amount: 1e-12 }] : [];
    if (random.chance(0.5)) return [{ do: 'answer', status: 503, body: '<html></html>' }];
    return [{ do: 'show-balance', value: random.pick([null, '12.5', {}]) }];
  }

  function ofPoll(): FaultAction[] {
    if (draws('pollFails')) {
      if (random.chance(0.3)) return [{ do: 'reset-before-answer' }];
      return [{ do: 'answer', status: random.pick([500, 502, 503, 429]), body: { detail: 'try again' } }];
    }
    if (draws('pollGone'))
      return [{ do: 'answer', status: random.pick([404, 409, 410]), body: { detail: 'not found' } }];
    if (draws('pollRefused'))
      return [{ do: 'answer', status: random.pick([400, 403, 422]), body: { detail: 'not now' } }];
    return [];
  }
}
