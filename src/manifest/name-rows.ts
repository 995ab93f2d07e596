import { defined } from '../domain/defined.js';
import type { RawRow } from '../domain/raw-row.js';
import type { Media, Row } from '../domain/row.js';
import type { CheckedRow } from './check-row.js';
import { isColumn } from './columns.js';
import type { ManifestOptions, RawCells } from './manifest-options.js';
import { type StemFields, stemFrom } from './names.js';
import { createOutputNames } from './output-names.js';
import type { ProblemLog } from './problem.js';
import { formatOf } from './read-manifest.js';
import type { PlaceOf } from './references/links.js';
import { rowHash } from './row-hash.js';

/** A row whose name waits until the size of the manifest is known. */
export interface WaitingRow {
  row: CheckedRow;
  raw: RawRow;
  media: Record<string, Media[]>;
}

/** Up to this many rows the default names need no folders. */
const FLAT_ROWS_MAX = 1000;

/** Where rows go from here, in order. */
export interface Outlets {
  good(row: Row, raw: RawCells, placeOf: PlaceOf): Promise<void>;
  /** One with a problem: what it refers to is looked at all the same. */
  bad(row: Row, placeOf: PlaceOf): Promise<void>;
}

/**
 * Names the rows and passes the good ones on, in order. The default names depend on whether there are more than 1,000
 * rows, so the first 1,000 wait until that is known.
 */
export function createOutlet(
  options: ManifestOptions,
  columns: ReadonlySet<string>,
  log: ProblemLog,
  outlets: Outlets,
) {
  const nameOf = createNamer(options, columns, log);
  let waiting: WaitingRow[] | undefined = options.nameTemplate === undefined ? [] : undefined;
  let index = 0;

  async function emit({ row, raw, media }: WaitingRow, isLarge: boolean): Promise<void> {
    const stem = nameOf(row, raw, index, isLarge);
    const isBad = stem === undefined || row.bad;
    const named = rowOf(row, media, stem ?? '', index);
    await (isBad ? outlets.bad(named, row.positionOf) : outlets.good(named, rawCells(row, raw), row.positionOf));
    index += 1;
  }

  async function release(isLarge: boolean): Promise<void> {
    const held = waiting ?? [];
    waiting = undefined;
    for (const one of held) await emit(one, isLarge);
  }

  return {
    async take(one: WaitingRow): Promise<void> {
      if (waiting === undefined) return emit(one, true);
      waiting.push(one);
      if (waiting.length > FLAT_ROWS_MAX) await release(true);
    },
    end: () => release(false),
  };
}

/**
 * Gives every row its stem: from its own `output`, the name template, or the default for the size of the batch;
 * undefined after a problem was reported.
 */
function createNamer(options: ManifestOptions, columns: ReadonlySet<string>, log: ProblemLog) {
  const { nameTemplate, hasSidecars = false, date = new Date().toISOString().slice(0, 10) } = options;
  const { nameCharactersMax = Number.POSITIVE_INFINITY } = options;
  const isJsonl = formatOf(options) === 'jsonl';
  const hasColumn = isJsonl ? isColumn : (name: string) => columns.has(name);
  /** The default names are as different as the ids; a sidecar may have the name of another row's file. */
  const mayClash = (): boolean => nameTemplate !== undefined || hasSidecars || isJsonl || columns.has('output');
  const names = createOutputNames(hasSidecars);
  let isTemplateBad = false;
  return (row: CheckedRow, raw: RawRow, index: number, isLarge: boolean): string | undefined => {
    const { id, kind, model, group, output } = row;
    if (id === '') return undefined;
    const template = output ?? nameTemplate ?? (isLarge ? '{part}/{id}' : '{id}');
    const cell = (name: string) => raw.cells.get(name)?.text;
    const fields: StemFields = { id, kind, model, group, index, date, cell, hasColumn };
    const stem = stemFrom(template, fields);
    if (!stem.ok) {
      if (output !== undefined) log.problem(row, 'B46', 'output', stem.message);
      else if (!isTemplateBad) log.add({ line: 1, column: 1, code: 'B46', message: stem.message });
      isTemplateBad ||= output === undefined;
      return undefined;
    }
    if (stem.stem.length > nameCharactersMax) {
      const fits =
        nameCharactersMax < 1 ? 'none fits: the place of the outputs is too long' : `${nameCharactersMax} fit`;
      log.problem(row, 'B46', 'output', `the output name is ${stem.stem.length} characters with its folders; ${fits}`);
      return undefined;
    }
    const clash = mayClash() ? names.add(row, stem.stem) : undefined;
    if (clash !== undefined && !row.bad) log.problem(row, 'B46', 'output', clash);
    return stem.stem;
  };
}

function rowOf(checked: CheckedRow, media: Record<string, Media[]>, stem: string, index: number): Row {
  const { line, id, kind, cells, group, extra, passthrough } = checked;
  const row: Row = { index, line, id, kind, stem, cells, media, hash: '', ...defined({ group, extra, passthrough }) };
  row.hash = rowHash(row);
  return row;
}

function rawCells(row: CheckedRow, raw: RawRow): RawCells {
  const cells = Array.from(raw.cells, ([name, cell]): [string, string] => [name, cell.text]);
  return { ...Object.fromEntries(cells), kind: row.kind };
}
