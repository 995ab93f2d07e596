/** What a row of a kind sends, for tests that compare it with a body written by hand from the documents. */
import type { Answer, ServiceRequest } from '../../src/domain/exchange.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import type { Kind } from '../../src/domain/kind.js';
import type { ResolvedMediaSet } from '../../src/domain/row.js';
import type { AsyncAdapter, SubmitOptions } from '../../src/kinds/adapter.js';
import { adapterFor } from '../../src/kinds/index.js';
import { rowOf } from './samples.js';

export function requestOf(
  kind: Kind,
  cells: Record<string, Json>,
  media: ResolvedMediaSet = {},
  options: Partial<SubmitOptions> = {},
): ServiceRequest {
  return adapterFor(kind).submitRequest(rowOf(kind, cells), media, { responseFormat: 'url', ...options });
}

export function bodyOf(...parameters: Parameters<typeof requestOf>): JsonObject | undefined {
  return requestOf(...parameters).body;
}

export function jsonAnswer(body: Json, status = 200): Answer {
  const bytes = Buffer.from(JSON.stringify(body));
  return { status, contentType: 'application/json', retryAfter: undefined, body: bytes };
}

export function asyncAdapter(kind: Kind): AsyncAdapter {
  const adapter = adapterFor(kind);
  if (adapter.flow !== 'async') throw new Error(`${kind} is synchronous`);
  return adapter;
}
