/** Refuses the default User-Agent of an HTTP client on the avatar routes (service document 2, "What the service does"). */
import { detailError } from '../model/errors.js';
import type { World } from '../model/world.js';

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
