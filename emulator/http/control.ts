/** The endpoints beside the service: `/_truth` and `/_control/…`, closed unless the options open them, and the OpenAPI text. */
import type { IncomingMessage } from 'node:http';
import { parseEmulatorFaults } from '../faults/faults.js';
import { type Caps, PLANS, type Plan } from '../model/accounts.js';
import type { Discount } from '../model/discounts.js';
import type { KeyOption } from '../model/keys.js';
import { createSteering, type Steering } from '../model/steering.js';
import type { WireAnswer } from '../model/world.js';
import type { Service } from '../service/service.js';
import { openApi } from './openapi.js';
import { truthPage } from './truth-page.js';

function json(status: number, value: unknown): WireAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) };
}

/** Answers a request beside the API; 404 where `control` is off. */
export async function controlAnswer(
  { world, router }: Service,
  request: IncomingMessage,
  url: URL,
): Promise<WireAnswer> {
  if (url.pathname === '/openapi.json') return json(200, openApi(router.routes, world.baseUrl()));
  if (!world.options.control) return json(404, { detail: 'Not Found' });
  const action = /^\/_control\/([a-z-]+)$/.exec(url.pathname)?.[1];
  try {
    if (url.pathname === '/_truth' && request.method === 'GET') return json(200, truthPage(world, url.searchParams));
    if (action === undefined || request.method !== 'POST') return json(404, { detail: 'Not Found' });
    const body: unknown = JSON.parse(await text(request));
    return json(200, steer(createSteering(world), action, body));
  } catch (error) {
    return json(400, { detail: error instanceof Error ? error.message : 'not valid' });
  }
}

async function text(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const whole = Buffer.concat(parts).toString('utf8');
  return whole === '' ? '{}' : whole;
}

function member(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || !(name in body)) throw new Error(`'${name}' is missing`);
  return (body as Record<string, unknown>)[name];
}

function textOf(body: unknown, name: string): string {
  const value = member(body, name);
  if (typeof value !== 'string') throw new Error(`'${name}' must be a string`);
  return value;
}

function numberOf(body: unknown, name: string): number {
  const value = member(body, name);
  if (typeof value !== 'number') throw new Error(`'${name}' must be a number`);
  return value;
}

function listOf(body: unknown, name: string): unknown[] {
  const value = member(body, name);
  if (!Array.isArray(value)) throw new Error(`'${name}' must be an array`);
  return value;
}

function accountOf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'account' in body ? textOf(body, 'account') : 'default';
}

function planOf(body: unknown): Plan {
  const plan = textOf(body, 'plan');
  const known = PLANS.find((one) => one === plan);
  if (known === undefined) throw new Error(`unknown plan '${plan}'; known: ${PLANS.join(', ')}`);
  return known;
}

function capsIn(body: unknown): Partial<Caps> {
  const caps: Partial<Caps> = {};
  for (const name of ['rpm', 'concurrent'] as const) {
    if (typeof body === 'object' && body !== null && name in body) caps[name] = numberOf(body, name);
  }
  return caps;
}

const ACTIONS: Readonly<Record<string, (steering: Steering, body: unknown) => unknown>> = {
  faults: (steering, body) => {
    steering.setFaults(parseEmulatorFaults(body));
    return { ok: true };
  },
  'top-up': (steering, body) => steering.topUp(textOf(body, 'credits'), accountOf(body)),
  'foreign-spend': (steering, body) => steering.foreignSpend(textOf(body, 'credits'), accountOf(body)),
  plan: (steering, body) => steering.setPlan(planOf(body), accountOf(body)),
  limits: (steering, body) => steering.setLimits(capsIn(body), accountOf(body)),
  'foreign-jobs': (steering, body) => steering.setForeignJobs(numberOf(body, 'count'), accountOf(body)),
  keys: (steering, body) => steering.setKeys(listOf(body, 'keys') as KeyOption[]),
  'rotate-key': (steering, body) => ({ key: steering.rotateKey(textOf(body, 'key')) }),
  discounts: (steering, body) => steering.setDiscounts(listOf(body, 'discounts') as Discount[], accountOf(body)),
  'restricted-models': (steering, body) => steering.setRestrictedModels(listOf(body, 'models').map(String)),
  'balance-lag': (steering, body) => steering.setBalanceLag(numberOf(body, 'serviceSeconds')),
};

function steer(steering: Steering, name: string, body: unknown): unknown {
  const action = ACTIONS[name];
  if (action === undefined) throw new Error(`unknown control '${name}'; known: ${Object.keys(ACTIONS).join(', ')}`);
  return action(steering, body) ?? { ok: true };
}
