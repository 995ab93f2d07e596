import type { JsonObject } from '../../src/domain/json.js';
import type { Random } from '../engine/random.js';

/** What stands between the client and the service says: it knows nothing of what became of the request. */
export function gatewayBody(random: Random, status: number): JsonObject | string {
  const message = 'upstream request timeout';
  return random.pick<JsonObject | string>([
    '<html><body>bad gateway</body></html>',
    '',
    message,
    { message: 'Internal server error' },
    { code: status, message },
    { error: { code: status, message } },
    { error: { message: 'no healthy upstream' } },
    { error: { code: 'engine_error', message, request_id: 'gw-1' } },
  ]);
}
