import { createHash } from 'node:crypto';
import type { Attempt } from '../../src/domain/attempt.js';
import { defined } from '../../src/domain/defined.js';
import { FAILED_BY, type ReasonCode } from '../../src/domain/failure.js';
import { type Kind, providerOf } from '../../src/domain/kind.js';
import type { Row } from '../../src/domain/row.js';
import { safeText } from '../../src/domain/secret.js';
import { intentOf } from '../../src/domain/standing.js';
import { closing } from '../../src/home/closings.js';
import { lastWords } from '../../src/home/last-words.js';
import { selectedModel, usualModel } from '../../src/kinds/facts.js';
import type { Dependencies } from '../dependencies.js';

/**
 * Models and providers that the service closed to the account during a batch: after the first refusal the other rows
 * fail without a request. A `retry` opens them again.
 */

export type Closing = 'fail_model' | 'fail_route';

/** What a row that leaves its model to the service counts as asking for. */
const UNNAMED = 'default';
/** Room for every documented model; what is longer is somebody's own body. */
const MODEL_CHARACTERS_MAX = 100;

/** Reads what is closed for a batch; the function it gives says why a row need not be sent, or undefined. */
export async function readClosed(deps: Dependencies, batch: string): Promise<(row: Row) => ReasonCode | undefined> {
  const closed = new Set(await deps.home.store.names(deps.home.keys.closings(batch)));
  const isClosed = (name: string) => closed.has(`${name}.json`);
  return (row) => {
    if (isClosed(providerOf(row.kind))) return 'route_disabled';
    return modelMarks(row).some(isClosed) ? 'model_not_available' : undefined;
  };
}

/** What a refusal says: its words with code and request id, and the model that it names. */
interface Refusal {
  said?: string | undefined;
  named?: string | undefined;
}

export async function close(
  deps: Dependencies,
  batch: string,
  row: Row,
  what: Closing,
  { said, named }: Refusal = {},
): Promise<void> {
  const isRoute = what === 'fail_route';
  const marks = isRoute ? [providerOf(row.kind)] : refusedMarks(row, named);
  const model = named ?? selectedModel(row);
  const closed = isRoute ? providerOf(row.kind) : model === undefined ? 'the model' : `model ${safeText(model, 100)}`;
  const sentence = said === undefined ? undefined : `${closed} was refused for row ${row.id}: ${said}`;
  for (const mark of marks) await closing.write(deps.home, { schema: 1, ...defined({ sentence }) }, batch, mark);
}

/**
 * Why a row ended that was not sent because its model or provider is closed, or what was said of a job whose end could
 * not be read; undefined for one that was refused itself, and for every other reason. It is read where the record is
 * written: words of the service stay out of the histories.
 */
export async function keptText(
  deps: Dependencies,
  batch: string,
  row: Row,
  { reason, last }: { reason: ReasonCode | undefined; last: Attempt | undefined },
): Promise<string | undefined> {
  if (reason === 'poll_unreadable' && last) {
    return (await lastWords.read(deps.home, { batch, id: row.id, n: last.n }))?.text;
  }
  if (reason !== 'model_not_available' && reason !== 'route_disabled') return undefined;
  const end = last?.states.at(-1);
  const isOwn = end?.state === 'refused' && FAILED_BY[end.next] === reason;
  if (isOwn && last && intentOf(last)?.rowHash === row.hash) return undefined;
  for (const mark of reason === 'route_disabled' ? [providerOf(row.kind)] : modelMarks(row)) {
    const { sentence } = (await closing.read(deps.home, batch, mark)) ?? {};
    if (sentence !== undefined) return sentence;
  }
  return 'another row of this batch was refused before';
}

/** Opens everything again, for a retry. */
export async function reopen(deps: Dependencies, batch: string): Promise<void> {
  const { store, keys } = deps.home;
  for await (const key of store.list(keys.closings(batch))) await store.remove(key);
}

/** The marks that close a row's model. */
function modelMarks(row: Row): string[] {
  const mark = markOf(row.kind, selectedModel(row) ?? UNNAMED);
  // Earlier builds marked the model that a kind takes without a name like this.
  const isUsual = row.cells.model === undefined && usualModel(row.kind) !== '';
  return isUsual ? [mark, markOf(row.kind, UNNAMED)] : [mark];
}

/**
 * What a refusal closes: the model that the row names, and the one that the refusal names. Where no column names a model,
 * something else in the row may have selected the refused one, so what the row seemed to ask for stays open: to ask in vain
 * costs nothing, to fail rows that would render does.
 */
function refusedMarks({ kind, cells }: Row, named: string | undefined): string[] {
  const own = selectedModel({ kind, cells });
  const ownMark = markOf(kind, own ?? UNNAMED);
  if (named === undefined || (own !== undefined && isSame(own, named))) return [ownMark];
  const isSeeming = own !== undefined && cells.model === undefined;
  return isSeeming ? [markOf(kind, named)] : [ownMark, markOf(kind, named)];
}

/** A name may come back as a path (`models/x`), or in other letters. */
function isSame(own: string, named: string): boolean {
  const plain = (model: string) => model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return plain(own) === plain(named);
}

function markOf(kind: Kind, model: string): string {
  const rest = model.slice(MODEL_CHARACTERS_MAX);
  const hash = rest === '' ? '' : `-${createHash('sha256').update(model).digest('hex').slice(0, 16)}`;
  return `${fileName(kind)}-${fileName(model.slice(0, MODEL_CHARACTERS_MAX))}${hash}`;
}

function fileName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_');
}
