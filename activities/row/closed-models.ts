import type { ReasonCode } from '../../src/domain/failure.js';
import { type Kind, providerOf } from '../../src/domain/kind.js';
import type { Row } from '../../src/domain/row.js';
import type { Dependencies } from '../dependencies.js';

/**
 * Models and providers that the service closed to the account during a batch: after the first refusal the other rows
 * fail without a request. A `retry` opens them again.
 */

export type Closing = 'fail_model' | 'fail_route';

/** Reads what is closed for a batch; the function it gives says why a row need not be sent, or undefined. */
export async function readClosed(deps: Dependencies, batch: string): Promise<(row: Row) => ReasonCode | undefined> {
  const closed = new Set(await deps.home.store.names(deps.home.keys.closings(batch)));
  return (row) => {
    if (closed.has(`${providerOf(row.kind)}.json`)) return 'route_disabled';
    return closed.has(`${modelName(row)}.json`) ? 'model_not_available' : undefined;
  };
}

export async function close(deps: Dependencies, batch: string, row: Row, what: Closing): Promise<void> {
  const name = what === 'fail_route' ? providerOf(row.kind) : modelName(row);
  await deps.home.store.put(deps.home.keys.closing(batch, name), new TextEncoder().encode('{"schema":1}'));
}

/** Opens everything again, for a retry. */
export async function reopen(deps: Dependencies, batch: string): Promise<void> {
  const { store, keys } = deps.home;
  for await (const key of store.list(keys.closings(batch))) await store.remove(key);
}

function modelName(row: Row): string {
  const model = row.cells.model;
  return `${fileName(row.kind)}-${typeof model === 'string' ? fileName(model) : 'default'}`;
}

function fileName(text: Kind | string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_');
}
