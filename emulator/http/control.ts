/** The endpoints beside the service: `/_truth` and `/_control/…`, closed unless the options open them, and the OpenAPI text. */
import { type Fields, fieldsOf } from '../families/checks.js';
import { parseEmulatorFaults } from '../faults/faults.js';
import { type Caps, PLANS } from '../model/accounts.js';
import type { JsonObject } from '../model/errors.js';
import type { KeyOption } from '../model/keys.js';
import type { Discount } from '../model/prices.js';
import { createSteering, type Steering } from '../model/steering.js';
import { jsonAnswer, type WireAnswer } from '../model/world.js';
import type { Service } from '../service/service.js';
import { openApi } from './openapi.js';
import { truthPage } from './truth-page.js';

/** Answers a request beside the API; 404 where `control` is off. */
export async function controlAnswer(
  { world, router }: Service,
  method: string,
  url: URL,
  readBody: () => Promise<Buffer>,
): Promise<WireAnswer> {
  if (url.pathname === '/openapi.json') return jsonAnswer(200, openApi(router.routes, world.baseUrl()));
  if (!world.options.control) return jsonAnswer(404, { detail: 'Not Found' });
  const action = /^\/_control\/([a-z-]+)$/.exec(url.pathname)?.[1];
  try {
    if (url.pathname === '/_truth' && method === 'GET') return jsonAnswer(200, truthPage(world, url.searchParams));
    if (action === undefined || method !== 'POST') return jsonAnswer(404, { detail: 'Not Found' });
    const body = JSON.parse((await readBody()).toString() || '{}') as JsonObject;
    return jsonAnswer(200, steer(createSteering(world), action, body));
  } catch (error) {
    return jsonAnswer(400, { detail: error instanceof Error ? error.message : 'not valid' });
  }
}

const accountOf = (body: Fields): string => body.string('account') ?? 'default';

function needNumber(body: Fields, name: string): number {
  const value = body.number(name);
  if (value === undefined) throw new Error(`'${name}' is required.`);
  return value;
}

function listOf(body: Fields, name: string): unknown[] {
  const value = body.raw[name];
  if (!Array.isArray(value)) throw new Error(`'${name}' must be an array.`);
  return value;
}

function capsIn(body: Fields): Partial<Caps> {
  const [rpm, concurrent] = [body.number('rpm'), body.number('concurrent')];
  return { ...(rpm === undefined ? {} : { rpm }), ...(concurrent === undefined ? {} : { concurrent }) };
}

const ACTIONS: Readonly<Record<string, (steering: Steering, body: Fields) => unknown>> = {
  faults: (steering, body) => steering.setFaults(parseEmulatorFaults(body.raw)),
  'top-up': (steering, body) => steering.topUp(body.needString('credits'), accountOf(body)),
  'foreign-spend': (steering, body) => steering.foreignSpend(body.needString('credits'), accountOf(body)),
  plan: (steering, body) => steering.setPlan(body.needOneOf('plan', PLANS), accountOf(body)),
  limits: (steering, body) => steering.setLimits(capsIn(body), accountOf(body)),
  'foreign-jobs': (steering, body) => steering.setForeignJobs(needNumber(body, 'count'), accountOf(body)),
  keys: (steering, body) => steering.setKeys(listOf(body, 'keys') as KeyOption[]),
  'rotate-key': (steering, body) => ({ key: steering.rotateKey(body.needString('key')) }),
  discounts: (steering, body) => steering.setDiscounts(listOf(body, 'discounts') as Discount[], accountOf(body)),
  'restricted-models': (steering, body) => steering.setRestrictedModels(listOf(body, 'models').map(String)),
  'balance-lag': (steering, body) => steering.setBalanceLag(needNumber(body, 'serviceSeconds')),
};

function steer(steering: Steering, name: string, body: JsonObject): unknown {
  const action = ACTIONS[name];
  if (action === undefined) throw new Error(`unknown control '${name}'; known: ${Object.keys(ACTIONS).join(', ')}`);
  return action(steering, fieldsOf(body)) ?? { ok: true };
}
