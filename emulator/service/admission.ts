/** What comes before a handler: key, requests per minute, route, User-Agent, body; or the refusal, as an error. */

import { createHash } from 'node:crypto';
import type { FaultSubject } from '../faults/fault-engine.js';
import { topUpByFault } from '../model/billing.js';
import { detailError, invalid, type JsonObject, rpmLimitExceeded, ServiceError } from '../model/errors.js';
import type { KeyEntry } from '../model/keys.js';
import { createRandom } from '../model/random.js';
import type { RequestRecord } from '../model/truth.js';
import type { Call, Incoming, World } from '../model/world.js';
import type { Found, Router } from './router.js';

// Rules that look into the body are for prompts and names, not for inline media.
const MATCHED_BYTES_MAX = 1_000_000;

/** One request to the API, as far as its head tells. */
interface Arrival {
  world: World;
  router: Router;
  incoming: Incoming;
  found: Found | undefined;
  record: RequestRecord;
  subject: FaultSubject;
  requestId: string;
  /** How often each body came before, by route and hash. */
  occurrences: Map<string, number>;
}

/** Lets a request in as a call, or throws the refusal. */
export async function admit(arrival: Arrival): Promise<Call> {
  const { world, incoming, found, record } = arrival;
  const { headers } = incoming;
  const entry = world.keys.authenticate(headers);
  countRequest(world, entry, record);
  if (found === undefined) throw noRoute(arrival);
  if (found.route.needsUserAgent === true) refuseDefaultUserAgent(world, headers['user-agent'], entry.account);
  const isPost = found.route.method === 'POST';
  const raw = isPost ? await incoming.body() : Buffer.alloc(0);
  const bodyHash = createHash('sha256').update(raw).digest('hex');
  const body = isPost ? parseBody(headers['content-type'], raw) : {};
  const faults = world.faults.match('read', {
    ...arrival.subject,
    names: [...arrival.subject.names, ...((isPost && found.route.namesFor?.({ body })) || [])],
    account: entry.account,
    bodyText: raw.length < MATCHED_BYTES_MAX ? raw.toString('utf8') : undefined,
  });
  if (faults.names.length > 0) record.faults = [...faults.names];
  topUpByFault(world, world.accounts.get(entry.account), faults);
  return {
    world,
    account: world.accounts.get(entry.account),
    grants: entry.grants,
    route: found.route,
    params: found.params,
    headers,
    requestId: arrival.requestId,
    body,
    bodyHash,
    faults,
    record,
    random: randomOf(arrival, `${found.route.names[0]} ${bodyHash}`, isPost),
  };
}

/** The same body on the same route has its own random source each time it comes, whatever else happens in between. */
function randomOf(arrival: Arrival, key: string, isPost: boolean): Call['random'] {
  const occurrence = (arrival.occurrences.get(key) ?? 0) + 1;
  if (isPost) arrival.occurrences.set(key, occurrence);
  return createRandom(arrival.world.options.seed, `${key} ${occurrence}`);
}

/** Counts the request towards the cap of its account, or throws 429; whether that one counts is an assumption. */
function countRequest(world: World, entry: KeyEntry, record: RequestRecord): void {
  const account = world.accounts.get(entry.account);
  const nowMs = record.arrivedMs;
  record.account = account.name;
  account.arrivals.add(nowMs);
  const { refusedRequestsCount } = world.options.assumptions;
  const counted = refusedRequestsCount ? account.arrivals : account.accepted;
  // The arrivals hold this request already.
  if (counted.count(nowMs) - (refusedRequestsCount ? 1 : 0) < account.caps.rpm) {
    account.accepted.add(nowMs);
    return;
  }
  world.recorder.violate({ atMs: nowMs, kind: 'rpm_refused', account: account.name, detail: record.route });
  const waitSeconds = Math.ceil(counted.untilFreeMs(nowMs) / 1000);
  throw rpmLimitExceeded(account.caps.rpm, world.options.retryAfter ? waitSeconds : undefined);
}

function noRoute({ router, incoming }: Arrival): ServiceError {
  const methods = [...new Set(router.methods(incoming.path))];
  if (methods.length === 0) return detailError(404, 'Not Found');
  const detail = 'Method Not Allowed';
  return new ServiceError(405, undefined, detail, () => ({ detail }), { allow: methods.join(', ') });
}

function parseBody(contentType: string | undefined, raw: Buffer): JsonObject {
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) {
    throw detailError(415, 'Send the body as JSON, with Content-Type: application/json.');
  }
  let value: unknown;
  try {
    value = JSON.parse(raw.toString('utf8'));
  } catch {
    throw invalid('The request body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('The request body must be a JSON object.');
  }
  return value as JsonObject;
}

const DEFAULT_USER_AGENT =
  /^(node|node-fetch|undici|axios|got|curl|wget|python-requests|python-urllib|python-httpx|httpx|aiohttp|Python\/|okhttp|Java\/|Go-http-client|Deno|Bun|PostmanRuntime|Ruby|libwww-perl|GuzzleHttp|reqwest|hyper)\b/i;

/**
 * Throws when the request has no User-Agent of its own. The documents say that such a request "can be rejected" and show
 * neither status nor body; the emulator always rejects it, with 403 and a plain `detail`.
 */
export function refuseDefaultUserAgent(world: World, userAgent: string | undefined, account: string): void {
  if (userAgent !== undefined && userAgent.trim() !== '' && !DEFAULT_USER_AGENT.test(userAgent)) return;
  const detail = userAgent ?? 'no User-Agent';
  world.recorder.violate({ atMs: world.clock.nowMs(), kind: 'default_user_agent', account, detail });
  throw detailError(403, 'Send a User-Agent that identifies your application, such as YourApp/1.0.');
}
