// What a job does next, without a server: the whole of its state is pure (design 6, 6).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SubmitResult } from '../../src/contract/attempts.js';
import type { JobInput } from '../../src/contract/workflows.js';
import type { Kind } from '../../src/domain/kind.js';
import { endOf, firstState, policyOfRest, stepAfter } from '../../workflows/job-state.js';
import type { Finish, Happened, JobState } from '../../workflows/job-steps.js';

const FILM = 'vendor-f/video' as const;
const IMAGE = 'svc/image' as const;
const otherwise: Finish = { step: 'finish', status: 'review', reason: 'answer_lost_undecided' };

const input = (kind: Kind, policy: JobInput['policy'] = { ambiguity: 'hold', retries: 0 }): JobInput => ({
  account: 'a',
  row: { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r', kind },
  begins: 'submit',
  attempts: 0,
  policy,
  timeScale: 1,
});
const stands = (standing: Extract<SubmitResult, { outcome: 'standing' }>['standing']): Happened => ({
  what: 'submitted',
  result: { outcome: 'standing', n: 1, standing },
});

describe('the end of a row that is being paid again (docs/guarantees.md, G1)', () => {
  const again = { n: 1, upToNano: 5, otherwise };
  const end = (status: Finish['status'], rest: Partial<Finish> = {}): Finish => ({ step: 'finish', status, ...rest });

  it('3-R2: no unbilled end of the new attempt makes a row fail that may have been billed', () => {
    for (const status of ['failed', 'cancelled', 'not_started'] as const) {
      expect(endOf({ again }, end(status))).toBe(otherwise);
      expect(endOf({}, end(status))).toEqual(end(status));
    }
  });

  it('what was billed, had or recorded stands', () => {
    for (const said of [end('lost_paid'), end('done', { recorded: true }), end('failed', { recorded: true })]) {
      expect(endOf({ again }, said)).toBe(said);
    }
  });
});

it('what is expected of a render is what came with its own submit', () => {
  const expected = { p5: 1, p50: 2, p95: 3, fromMs: 2 };
  const result: SubmitResult = { outcome: 'standing', n: 1, standing: 'created', expected };
  const { state } = stepAfter(firstState(input(FILM)), { what: 'submitted', result });
  expect(state.expected).toEqual(expected);
  expect(stepAfter(state, stands('created')).state.expected).toBeUndefined();
});

describe('what may follow a submit', () => {
  const MAY_BE_BILLED = [
    'created',
    'done',
    'rendered',
    'claimed',
    'open_case',
    'billed',
    'undecided',
    'given_up',
  ] as const;

  it('no attempt that may be billed is followed by a submit, whatever the policy (G1)', () => {
    for (const ambiguity of ['hold', 'if-proved', 'always'] as const) {
      for (const kind of [FILM, IMAGE]) {
        const state = firstState(input(kind, { ambiguity, retries: 9 }));
        for (const standing of MAY_BE_BILLED) expect(stepAfter(state, stands(standing)).next.step).not.toBe('submit');
      }
    }
  });

  it('what is not billed is sent again by the policy alone, and by none once verdicts are not trusted', () => {
    const verdict = (untrusted: boolean): Happened => ({
      what: 'settled',
      result: { outcome: 'verdict', verdict: 'not_billed', slotUntilMs: 0, ...(untrusted ? { untrusted: true } : {}) },
    });
    const step = (ambiguity: JobInput['policy']['ambiguity'], untrusted = false) =>
      stepAfter(firstState(input(FILM, { ambiguity, retries: 0 })), verdict(untrusted)).next.step;
    expect([step('hold'), step('if-proved'), step('always')]).toEqual(['finish', 'submit', 'submit']);
    expect([step('if-proved', true), step('always', true)]).toEqual(['finish', 'finish']);
  });

  it('a slot goes back before a row queues again or fails, and stays with what may still run', () => {
    fc.assert(
      fc.property(refusals, (result) => {
        const { do: effects, next } = stepAfter(firstState(input(IMAGE)), { what: 'submitted', result });
        const keepsSlot = ['retry_sync', 'retry_as_url'].includes(result.next) && next.step === 'submit';
        expect(effects.some((effect) => effect.do === 'release')).toBe(!keepsSlot);
      }),
    );
    for (const standing of MAY_BE_BILLED.slice(0, 5)) {
      expect(stepAfter(firstState(input(FILM)), stands(standing)).do).toEqual([]);
    }
  });

  it('a call that holds no slot and is turned away for the jobs of the account waits, and lowers no cap', () => {
    const refused: Happened = { what: 'submitted', result: { outcome: 'refused', n: 1, next: 'wait_slot' } };
    const how = (kind: Kind) => stepAfter(firstState(input(kind)), refused).do;
    expect(how(FILM)).toEqual([{ do: 'release', how: { overCap: true } }]);
    expect(how('vendor-f/interaction')).toEqual([{ do: 'release', how: { turnedAway: { cause: 'gateway' } } }]);
  });

  it('a refunded call is sent three times more at most (service document 1, What the service does)', () => {
    let state: JobState = firstState(input(IMAGE));
    const sent: string[] = [];
    for (let n = 1; n <= 4; n += 1) {
      const came = stepAfter(state, { what: 'submitted', result: { outcome: 'refused', n, next: 'retry_sync' } });
      state = came.state;
      sent.push(came.next.step);
    }
    expect(sent).toEqual(['submit', 'submit', 'submit', 'finish']);
  });

  it('a failed render is tried again as often as the batch says, and the run that goes on knows how often is left', () => {
    const policy = { ambiguity: 'if-proved' as const, retries: 2 };
    const failed: Happened = { what: 'polled', result: { outcome: 'ended', reason: 'render_failed', renderMs: 5 } };
    const once = stepAfter(firstState(input(FILM, policy)), failed);
    expect([once.next.step, policyOfRest(once.state)]).toEqual(['submit', { ...policy, retries: 1 }]);
    const twice = stepAfter(once.state, failed);
    expect([twice.next.step, stepAfter(twice.state, failed).next.step]).toEqual(['submit', 'finish']);
  });
});

const refusals = fc.record({
  outcome: fc.constant('refused' as const),
  n: fc.nat(5),
  next: fc.constantFrom(
    ...([
      'retry_backoff',
      'wait_provider',
      'wait_turn',
      'wait_gateway',
      'wait_slot',
      'retry_sync',
      'retry_as_url',
    ] as const),
    ...(['fail_size', 'pause_key', 'pause_credits', 'fail_model', 'fail_route', 'fail_row'] as const),
  ),
});

it('a row whose input cannot be had at its submit ends with the reason in words', () => {
  const result = { outcome: 'not_sent', reason: 'input_missing', text: 'the input is gone' } as const;
  const { next } = stepAfter(firstState(input(FILM)), { what: 'submitted', result });
  expect(next).toEqual({ step: 'finish', status: 'failed', reason: 'input_missing', text: 'the input is gone' });
});
