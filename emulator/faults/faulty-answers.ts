/** What goes on the wire for one request with the faults that apply to it: in place of the handler, or after it. */

import { until } from '../model/clock.js';
import { ServiceError } from '../model/errors.js';
import type { RequestRecord } from '../model/truth.js';
import { type Call, type WireAnswer, WithheldAnswer, type World } from '../model/world.js';
import type { FaultActions } from './fault-actions.js';
import { type AppliedFaults, NO_FAULTS } from './fault-engine.js';
import { chosenAnswer, errorWithHandle, gatewayAnswer, plain, refusalOf } from './made-up-answers.js';

/**
 * An answer, with the faults that work on its bytes; else the connection is reset or closed, or stays silent until the
 * client gives up.
 */
export type Outgoing =
  | { as: 'answer'; answer: WireAnswer; faults: AppliedFaults }
  | { as: 'reset' | 'closed' | 'silence' };

interface Answering {
  world: World;
  record: RequestRecord;
  faults: AppliedFaults;
  /** Reads change nothing, so they are carried out whatever the fault does with their answer. */
  isRead: boolean;
  call?: Call;
  /** Carries the request out. */
  make: () => Promise<WireAnswer> | WireAnswer;
  refuse?: (error: ServiceError) => WireAnswer;
}

type Instead =
  | FaultActions['reset-before-answer' | 'stall' | 'answer' | 'refuse' | 'redirect' | 'gateway' | 'error-with-handle']
  | { do: 'cached'; answer: WireAnswer; created: boolean };

/** What came of carrying a request out. */
type Outcome =
  | { as: 'answer'; answer: WireAnswer }
  | { as: 'refusal'; answer: WireAnswer }
  | { as: 'withheld'; how: WithheldAnswer['how'] };

/** Carries the request out unless a fault says that it is not, and gives what the faults make of the answer. */
export async function answerWithFaults(answering: Answering): Promise<Outgoing> {
  const { world, record, call, isRead } = answering;
  const instead = insteadOf(answering);
  if (instead !== undefined && !isRead && !isCreated(instead)) {
    await patienceOf(world, instead);
    return replace(answering, instead, undefined);
  }
  const outcome = await unlessGivenUp(answering, instead, carryOut(answering));
  if (outcome === undefined) return replace(answering, instead as Instead, undefined);
  if (outcome.as === 'withheld') return withhold(answering, outcome.how);
  // A fault that promises a created job has nothing to work on when the service itself refuses the request.
  if (outcome.as === 'refusal' && !isRead) return deliver(answering, outcome.answer, false);
  const { answer } = outcome;
  if (call !== undefined && answer.status < 300) world.lastAnswers.set(record.route, answer);
  if (instead !== undefined) return replace(answering, instead, answer);
  return deliver(answering, answer, true);
}

async function carryOut(answering: Answering): Promise<Outcome> {
  try {
    return { as: 'answer', answer: await answering.make() };
  } catch (error) {
    if (error instanceof WithheldAnswer) return { as: 'withheld', how: error.how };
    if (!(error instanceof ServiceError) || answering.refuse === undefined) throw error;
    return { as: 'refusal', answer: answering.refuse(error) };
  }
}

/** The outcome, or nothing where a gateway gives up before there is one; the service goes on all the same. */
async function unlessGivenUp(
  { world }: Answering,
  instead: Instead | undefined,
  work: Promise<Outcome>,
): Promise<Outcome | undefined> {
  const patience = patienceOf(world, instead);
  if (patience === undefined) return work;
  const first = await Promise.race([work, patience]);
  if (first?.as === 'refusal') return first;
  work.catch(() => undefined);
  await patience;
  return undefined;
}

/** Until a gateway gives up; undefined where there is none, or none that waits. */
function patienceOf({ scheduler, clock }: World, instead: Instead | undefined): Promise<void> | undefined {
  if (instead?.do !== 'gateway' || instead.serviceSeconds === undefined) return undefined;
  return until(scheduler, clock.nowMs() + clock.serviceMs(instead.serviceSeconds));
}

function insteadOf({ faults, world, record }: Answering): Instead | undefined {
  const cache = faults.get('cached-answer');
  const cached = cache === undefined ? undefined : world.lastAnswers.get(record.route);
  if (cached !== undefined) return { do: 'cached', answer: cached, created: cache?.created ?? false };
  return (
    faults.get('reset-before-answer') ??
    faults.get('stall') ??
    faults.get('answer') ??
    faults.get('refuse') ??
    faults.get('redirect') ??
    faults.get('gateway') ??
    faults.get('error-with-handle')
  );
}

function isCreated(instead: Instead): boolean {
  switch (instead.do) {
    case 'error-with-handle':
      return true;
    case 'reset-before-answer':
    case 'stall':
      return instead.created ?? true;
    default:
      return instead.created ?? false;
  }
}

function deliver({ record, faults }: Answering, answer: WireAnswer, withFaults: boolean): Outgoing {
  record.status = answer.status;
  record.bytes = answer.body.length;
  return { as: 'answer', answer, faults: withFaults ? faults : NO_FAULTS };
}

/** Does what the fault wants; `made` is the real answer where the request was carried out. */
async function replace(answering: Answering, instead: Instead, made: WireAnswer | undefined): Promise<Outgoing> {
  switch (instead.do) {
    case 'reset-before-answer':
      return reset(answering);
    case 'stall':
      return stall(answering, instead.seconds, made ?? plain(504, 'The request exceeded its time budget.'));
    case 'answer':
      return deliver(answering, chosenAnswer(instead, made), true);
    case 'redirect':
      return deliver(
        answering,
        { status: instead.status, headers: { location: instead.location }, body: Buffer.alloc(0) },
        true,
      );
    case 'refuse':
      return deliver(answering, refused(answering, instead), true);
    case 'gateway':
      return deliver(answering, gatewayAnswer(instead), true);
    case 'cached':
      return deliver(answering, instead.answer, true);
    case 'error-with-handle':
      return deliver(answering, errorWithHandle(instead.status, made), true);
    default:
      return instead satisfies never;
  }
}

function reset({ record }: Answering): Outgoing {
  record.ending = 'reset';
  return { as: 'reset' };
}

async function stall(answering: Answering, seconds: number | undefined, answer: WireAnswer): Promise<Outgoing> {
  // Without an end the headers are held until the client gives up.
  if (seconds === undefined) return { as: 'silence' };
  const { scheduler, clock } = answering.world;
  // A fault on the wire lasts real seconds, whatever the speed.
  await until(scheduler, clock.nowMs() + seconds * 1000);
  return deliver(answering, answer, true);
}

function withhold(answering: Answering, how: WithheldAnswer['how']): Outgoing {
  if (how === 'reset') return reset(answering);
  if (how === 'stall') return { as: 'silence' };
  return deliver(answering, refused(answering, { do: 'refuse', code: how }), true);
}

function refused({ call, refuse }: Answering, action: FaultActions['refuse']): WireAnswer {
  if (call === undefined || refuse === undefined) return plain(503, 'Temporarily unavailable.');
  const { body, params, route, account } = call;
  const model = [body.model, body.model_name, params.model].find((name) => typeof name === 'string');
  const entrypoint = route.names[0].split('.')[0] ?? 'svc';
  return refuse(refusalOf(action, { account, model: typeof model === 'string' ? model : 'unknown', entrypoint }));
}
