import type { AttemptRef, AttemptState } from '../../domain/attempt.js';
import { handleOf } from '../../domain/standing.js';
import { isOfRow, type NameOwner, nameOwner, takeName } from '../../home/handles.js';
import type { Home } from '../../home/home.js';
import { resultLines } from '../../home/result-lines.js';
import { resultSources } from '../access/home-access.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { UserError } from '../user-error.js';

/** Two rows must never take the same output for theirs. */

/** Throws a UserError that names the other row, where one has the handle. */
export async function refuseSharedHandle(
  { access, batch, generation }: KnownBatch,
  id: string,
  handle: string,
): Promise<void> {
  const owner = await nameOwner.read(access.home, handle);
  if (owner !== undefined && !isOfRow(owner, { batch, id })) throw taken(owner);
  for await (const { row, record } of resultLines(resultSources(access), batch, generation.generation)) {
    if (row.id !== id && record?.handle === handle) throw taken({ batch, id: row.id });
  }
  for await (const open of access.ledger.open()) {
    const isOwn = open.batch === batch && open.id === id;
    const attempt = isOwn ? undefined : await access.ledger.readAttempt(open);
    if (attempt && handleOf(attempt) === handle) throw taken(open);
  }
}

/**
 * Records an order; a handle that it gives is named as the row's first. The record alone is no bar: until its job goes on,
 * which may be days, another row could be given the same handle.
 */
export async function withOwnHandle(
  home: Home,
  ref: AttemptRef,
  state: AttemptState,
  record: () => Promise<void>,
): Promise<void> {
  if (state.state !== 'attached') return record();
  const before = await nameOwner.read(home, state.handle);
  const isOwn = await takeName(home, state.handle, ref);
  const owner = isOwn ? ref : ((await nameOwner.read(home, state.handle)) ?? ref);
  // An order that a crash cut off before its record has left the name behind: the row may have been sent again since.
  if (!isOfRow(owner, ref)) throw taken(owner);
  try {
    await record();
  } catch (error) {
    // Nothing was recorded, and another's answer may still bring the handle: it must not be taken for a repeated one.
    if (before === undefined && error instanceof UserError) await nameOwner.remove(home, state.handle);
    throw error;
  }
}

function taken({ batch, id }: Pick<NameOwner, 'batch' | 'id'>): UserError {
  const whose = id === '' ? 'has an owner whose name cannot be read' : `belongs to row '${id}' of batch '${batch}'`;
  return new UserError(`the handle ${whose}: nothing was changed`);
}
