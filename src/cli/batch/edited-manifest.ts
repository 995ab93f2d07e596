import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import type { BatchOptions } from '../../domain/batch.js';
import { defined } from '../../domain/defined.js';
import { readBatchOptions } from '../../home/batch-order.js';
import { editedRows, type RowAsRead } from '../../manifest/edited-rows.js';
import { batchNameFrom } from '../../manifest/names.js';
import { rowsOf } from '../access/home-access.js';
import { commandHint, shellWord } from '../open-session.js';
import { plain } from '../terminal.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import type { KnownBatch } from './known-batch.js';

const IDS_SHOWN = 12;

/**
 * Whoever edits a manifest after its sample wants the edit, and the rows of the batch are still those from before it:
 * `run` has to take it over first. A file that is gone, or cannot be read, forbids nothing.
 */
export async function refuseEditedManifest(known: KnownBatch, sample: readonly string[]): Promise<void> {
  const { session, access, batch } = known;
  const options = await readBatchOptions(access.home, batch).catch(() => undefined);
  const path = options?.manifest;
  if (options === undefined || path === undefined || !(await isFile(path))) return;
  const { format, delimiter } = options;
  const file = shownPath(session.cli.io.cwd, path);
  const kept = { isDamaged: false };
  const edited = await editedRows({ source: { path }, ...defined({ format, delimiter }) }, keptRows(known, kept));
  if (kept.isDamaged) return;
  if (edited === undefined) {
    session.terminal.note(`manifest  ${plain(file, 300)} cannot be read now: the rest runs as it was read before`);
    return;
  }
  if (edited.size === 0) return;
  throw new UserError(
    `${plain(file, 300)} was edited after '${batch}' was run from it (${editText(edited, sample)}): ` +
      `\`${runHint(known, file, options)}\` takes that over, then approve again; nothing was submitted`,
  );
}

/** What was piped from another command is not read again. */
async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

/** `2 rows of the sample: a, b; and 1 other row`. */
function editText(edited: ReadonlySet<string>, sample: readonly string[]): string {
  const ofSample = sample.filter((id) => edited.has(id));
  const others = edited.size - ofSample.length;
  if (ofSample.length === 0) return `${amount(others, 'row')}, none of the sample`;
  const ids = ofSample.slice(0, IDS_SHOWN).join(', ');
  const more = ofSample.length > IDS_SHOWN ? ', …' : '';
  const besides = others === 0 ? '' : `; and ${amount(others, 'other row')}`;
  return `${amount(ofSample.length, 'row')} of the sample: ${ids}${more}${besides}`;
}

/** The same file under another name or to another place would be another batch; read in another way, other rows or none. */
function runHint({ session, batch, out }: KnownBatch, file: string, read: BatchOptions): string {
  const named = batchNameFrom(file);
  const words = [
    shellWord(file),
    ...('name' in named && named.name === batch ? [] : [`--name ${shellWord(batch)}`]),
    ...(session.config.out === out ? [] : [`--out ${shellWord(out)}`]),
    ...(read.kind === undefined ? [] : [`--kind ${read.kind}`]),
    ...(read.format === undefined ? [] : [`--format ${read.format}`]),
    ...(read.delimiter === undefined ? [] : [`--delimiter ${delimiterWord(read.delimiter)}`]),
  ];
  return commandHint(session, `run ${words.join(' ')}`);
}

function delimiterWord(delimiter: string): string {
  return delimiter === '\t' ? 'tab' : shellWord(delimiter);
}

function shownPath(cwd: string, path: string): string {
  const near = relative(cwd, path);
  return near.startsWith('..') ? path : near;
}

/** Of a line that the home has lost nobody can tell whether the file has another one: `seen` says so. */
async function* keptRows(
  { access, batch, generation }: KnownBatch,
  seen: { isDamaged: boolean },
): AsyncGenerator<RowAsRead> {
  for await (const { row, raw, isDamaged } of rowsOf(access, batch, generation)) {
    if (isDamaged) seen.isDamaged = true;
    yield { id: row.id, cells: raw };
  }
}
