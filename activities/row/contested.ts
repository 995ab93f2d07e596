import { rowOf } from '../../src/books/attempt-price.js';
import type { Attempt, AttemptRef, AttemptState, RecordedOutput } from '../../src/domain/attempt.js';
import type { Row } from '../../src/domain/row.js';
import { acceptanceOf, intentOf, isSettling, isTakenBack, ownStates, standingOf } from '../../src/domain/standing.js';
import { isNameOfAnother, isOfRow, keepName, type NameOwner, nameOwner, takeName } from '../../src/home/handles.js';
import type { Dependencies } from '../dependencies.js';
import { noteCase } from './semaphore-notes.js';

/** A handle or output that another attempt has already is a gateway's cached answer: it confirms nothing (T8). */

/** Names the attempt as the owner of its handle; where another is, the attempt becomes a case. True when it is ours. */
export async function ownsHandle(
  deps: Dependencies,
  ref: AttemptRef,
  handle: string,
  take: typeof takeName = takeName,
): Promise<boolean> {
  const { batch, id, n } = ref;
  if (await take(deps.home, handle, { batch, id, n })) return true;
  await contest(deps, ref, 'its handle is that of another attempt: an old answer was repeated');
  return false;
}

/** A handle in a lost answer is this attempt's as well, before a poll confirms it: whoever shows it later repeats it. */
export async function ownSalvaged(
  deps: Dependencies,
  { batch, id, n }: AttemptRef,
  state: AttemptState,
): Promise<void> {
  const handle = state.state === 'created_lost' ? state.salvagedHandle : undefined;
  // Where another has it already, no poll will confirm it here.
  if (handle !== undefined) await takeName(deps.home, handle, { batch, id, n });
}

/** The same for the URLs of a synchronous call. */
export async function ownsOutputs(
  deps: Dependencies,
  ref: AttemptRef,
  row: Row,
  outputs: readonly RecordedOutput[],
  take: typeof takeName = takeName,
): Promise<boolean> {
  const urls = outputs.flatMap(({ url }) => url ?? []);
  const taken = await Promise.all(urls.map((url) => take(deps.home, url, ownerOf(ref, row))));
  if (taken.every(Boolean)) return true;
  await contest(deps, ref, 'its output is that of another attempt: an old answer was repeated');
  return false;
}

export function isOutputOfAnother(deps: Dependencies, ref: AttemptRef, row: Row, url: string): Promise<boolean> {
  return isNameOfAnother(deps.home, url, ownerOf(ref, row));
}

/**
 * What a process that died between the record and the name has left undone; repeated when the account is recovered, and
 * by whoever reads the attempt. False when another attempt has the name: this one is a case by now.
 */
export async function nameAgain(deps: Dependencies, ref: AttemptRef, attempt: Attempt): Promise<boolean> {
  const last = attempt.states.at(-1);
  const intent = intentOf(attempt);
  if (last?.state === 'done' && intent) {
    // Where the row cannot be read nobody knows whether it was seeded: its outputs stay unnamed.
    const row = await rowOf(deps, ref, intent).catch(() => undefined);
    return row === undefined || ownsOutputs(deps, ref, row, namedBy(attempt, last.outputs), keepName);
  }
  const accepted = acceptanceOf(attempt);
  if (accepted === undefined || (await isGivenAgain(deps, ref, accepted))) return true;
  return ownsHandle(deps, ref, accepted.handle, keepName);
}

/** A person gave an attempt the handle that another one of its own row has: no other row has its output. */
async function isGivenAgain(deps: Dependencies, ref: AttemptRef, { state, handle }: Acceptance): Promise<boolean> {
  const owner = state === 'attached' ? await nameOwner.read(deps.home, handle) : undefined;
  return owner !== undefined && isOfRow(owner, ref);
}

/** What was fetched from a URL in a lost answer (TS) is recorded by its bytes alone: the URL stands in that answer. */
function namedBy(attempt: Attempt, outputs: readonly RecordedOutput[]): readonly RecordedOutput[] {
  const url = salvagedUrl(ownStates(attempt));
  return url === undefined || outputs.some((output) => output.url !== undefined) ? outputs : [{ url }];
}

/** The URL of an output that a lost answer named, if one did. */
export function salvagedUrl(states: readonly AttemptState[]): string | undefined {
  return states.flatMap((state) => (state.state === 'unknown' ? (state.evidence.outputUrl ?? []) : [])).at(-1);
}

async function contest(deps: Dependencies, ref: AttemptRef, message: string): Promise<void> {
  deps.log.error({ ...ref }, 'an answer was repeated by something on the way: it is taken for no answer');
  await deps.ledger.append(ref, { state: 'unknown', atMs: deps.now(), evidence: { rule: 'T8', message } });
  const attempt = await deps.ledger.readAttempt(ref);
  const settled = attempt && settledBefore(attempt);
  // No job waits for it any more: left open, the case would stay so, and stand in the way of others.
  if (settled !== undefined) await deps.ledger.append(ref, { ...settled, atMs: deps.now() });
  else if (attempt && standingOf(attempt) === 'open_case') await noteCase(deps, ref, attempt);
}

/** What stood of an attempt when the repeated answer came in, late: nothing of it has changed. */
function settledBefore({ states }: Attempt): AttemptState | undefined {
  const [before, answer, repeated] = states.slice(-3);
  if (!before || !answer || !isTakenBack(answer, repeated)) return undefined;
  // A person may give another handle to a job that was accepted: its own one stands again.
  const hadHandle = answer.state === 'attached' && before.state === 'created';
  return isSettling(before) || hadHandle ? before : undefined;
}

type Acceptance = NonNullable<ReturnType<typeof acceptanceOf>>;

function ownerOf({ batch, id, n }: AttemptRef, row: Row): NameOwner {
  const seed = row.cells.seed ?? row.extra?.seed;
  return { batch, id, n, ...(seed === undefined || seed === null ? {} : { seeded: row.hash }) };
}
