import { createReadStream, statSync } from 'node:fs';
import { fileReason } from '../domain/file-reason.js';
import { type Cell, cellSizeFlaw, type Finding, type RawRow } from '../domain/raw-row.js';
import { withoutBoms } from './checked-bytes.js';
import { columnFlaw } from './columns.js';
import { ManifestStop, quoted } from './problem.js';
import { type CsvRecord, otherDelimiter, readCsv } from './read-csv.js';
import { type JsonlRecord, readJsonl } from './read-jsonl.js';

export type ManifestSource = { path: string } | { stream: AsyncIterable<Uint8Array>; name: '<stdin>' };

export interface ReadOptions {
  source: ManifestSource;
  format?: 'csv' | 'jsonl';
  delimiter?: string;
  /** Told once for a CSV: its usable columns in order, and what is wrong with its header. */
  onHeader(names: string[], findings: readonly Finding[]): void;
}

/** The name of the manifest in problems. */
export function sourceName(source: ManifestSource): string {
  return 'path' in source ? source.path : source.name;
}

/** Reads a manifest as a stream of rows. Throws `ManifestStop` where it cannot be read on. */
export async function* readManifest(options: ReadOptions): AsyncGenerator<RawRow> {
  const { source } = options;
  const delimiter = delimiterOf(options.delimiter ?? ',');
  const bytes = openSource(source);
  if (formatOf(options) === 'jsonl') {
    for await (const record of readJsonl(bytes)) yield rowOfObject(record);
    return;
  }
  let header: CsvHeader | undefined;
  for await (const record of readCsv(bytes, delimiter)) {
    if (header === undefined) {
      // A spreadsheet writes rows that are empty above the header with all their delimiters.
      if (record.cells.every((cell) => cell.trim() === '')) continue;
      // Empty lines may stand before the byte order mark where files were put together.
      const cells = record.cells.map((name, at) => (at === 0 ? withoutBoms(name) : name));
      header = readHeader({ ...record, cells }, delimiter);
      const names = header.names.filter((name) => name !== null);
      options.onHeader(names, header.findings);
    } else yield rowOfRecord(record, header);
  }
}

/** One character; `\\t` stands for TAB, which shells do not make of it. */
function delimiterOf(text: string): string {
  const delimiter = text === '\\t' ? '\t' : text;
  if (Array.from(delimiter).length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  const rule = delimiter === '"' ? 'must be one character other than the quote' : 'must be one character';
  throw new ManifestStop('B7', 1, 1, `--delimiter ${rule}, such as ';' or '\\t', got ${quoted(text)}`);
}

/** By `format`, else by the file name; standard input is CSV. */
export function formatOf({ source, format }: Pick<ReadOptions, 'source' | 'format'>): 'csv' | 'jsonl' {
  if (format !== undefined) return format;
  return 'path' in source && /\.(?:jsonl|ndjson)$/i.test(source.path) ? 'jsonl' : 'csv';
}

/** Opens the bytes; what cannot be read is told before the first byte is asked for. */
function openSource(source: ManifestSource): AsyncIterable<Uint8Array> {
  if ('stream' in source) return source.stream;
  const { path } = source;
  const flaw = pathFlaw(path);
  if (flaw !== undefined) throw flaw;
  return chunksOf(path);
}

/** Why there is no file to read at a path. */
export function pathFlaw(path: string): ManifestStop | undefined {
  try {
    if (!statSync(path).isDirectory()) return undefined;
    return unreadable(path, Object.assign(new Error('folder'), { code: 'EISDIR' }));
  } catch (error) {
    return unreadable(path, error);
  }
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(path);
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(path, error);
    throw error;
  } finally {
    stream.destroy();
  }
}

function unreadable(path: string, error: unknown): ManifestStop {
  return new ManifestStop('B1', 1, 1, `cannot read manifest ${quoted(path)}: ${fileReason(error)}`);
}

/** The header of a CSV manifest, read once; `null` stands for a column that cannot be used. */
export interface CsvHeader {
  names: readonly (string | null)[];
  positions: ReadonlyMap<string, number>;
  findings: readonly Finding[];
  /** Columns that `findings` tells of already, for they are missing or misspelt. */
  said: ReadonlySet<string>;
}

/** Reads the header; throws `ManifestStop` (B7) when the file is separated by another character. */
export function readHeader(record: CsvRecord, delimiter: string): CsvHeader {
  const { line, cells } = record;
  checkDelimiter(record, delimiter);
  const positions = new Map<string, number>();
  const findings: Finding[] = [];
  const present = new Set(cells);
  const said = new Set<string>();
  const names = cells.map((name, at) => {
    const column = at + 1;
    const earlier = positions.get(name);
    if (earlier !== undefined && name !== '') {
      const message = `column ${quoted(name)} appears twice (${earlier}, ${column})`;
      findings.push({ line, column, code: 'B8', field: name, message });
      return null;
    }
    positions.set(name, column);
    const flaw = columnFlaw(name, present);
    if (flaw === undefined) return name;
    const { code, message, meant } = flaw;
    if (meant !== undefined && !present.has(meant)) said.add(meant);
    findings.push({ line, column, code, field: name, message });
    return null;
  });
  if (!positions.has('id') && !said.has('id')) {
    said.add('id');
    findings.push({ line, column: 1, code: 'B10', field: 'id', message: "the header has no 'id' column" });
  }
  return { names, positions, findings, said };
}

function checkDelimiter({ line, cells }: CsvRecord, delimiter: string): void {
  if (cells.includes('id')) return;
  const stop = otherDelimiter(cells.join(delimiter), line, delimiter);
  if (stop !== undefined) throw stop;
}

/** One record as a row; with a wrong number of cells nobody knows which cell is which. */
export function rowOfRecord(record: CsvRecord, header: CsvHeader): RawRow {
  const { line, cells: texts } = record;
  const { names, positions, said } = header;
  const cells = new Map<string, Cell>();
  const findings: Finding[] = [];
  const row: RawRow = { line, cells, findings, positionOf: (name) => positions.get(name) };
  if (said.size > 0) row.said = said;
  if (texts.length !== names.length) {
    const hint = texts.length > names.length ? ' (unquoted comma?)' : ' (a delimiter or a quote missing?)';
    const message = `row has ${texts.length} ${texts.length === 1 ? 'cell' : 'cells'}, header has ${names.length}${hint}`;
    findings.push({ line, column: 1, code: 'B6', message });
    return { ...row, isBroken: true };
  }
  for (const [at, text] of texts.entries()) {
    const name = names[at];
    if (text === '' || name === null || name === undefined) continue;
    const column = at + 1;
    const large = cellSizeFlaw(text);
    if (large === undefined) cells.set(name, { name, column, form: 'csv', text });
    else findings.push({ line, column, code: 'B55', field: name, message: `${name}: ${large}` });
  }
  return row;
}

/** One JSONL record as a row: unknown, repeated and oversized fields are findings of that row. */
export function rowOfObject(record: JsonlRecord): RawRow {
  const { line } = record;
  const cells = new Map<string, Cell>();
  if ('message' in record) {
    const { message } = record;
    const findings: Finding[] = [{ line, column: 1, code: 'B60', message }];
    return { line, cells, positionOf: () => undefined, findings, isBroken: true };
  }
  const positions = new Map<string, number>();
  const findings: Finding[] = [];
  const present = new Set(record.cells.map(({ name }) => name));
  const said = new Set<string>();
  for (const cell of record.cells) {
    const { name, column } = cell;
    const earlier = positions.get(name);
    const unknown = columnFlaw(name, present);
    const large = cellSizeFlaw(cell.text);
    if (earlier !== undefined) {
      const message = `column ${quoted(name)} appears twice (${earlier}, ${column})`;
      findings.push({ line, column, code: 'B8', field: name, message });
    } else if (unknown !== undefined) {
      const { code, message, meant } = unknown;
      if (meant !== undefined && !present.has(meant)) said.add(meant);
      findings.push({ line, column, code, field: name, message });
    } else if (large !== undefined)
      findings.push({ line, column, code: 'B55', field: name, message: `${name}: ${large}` });
    else if (cell.text !== '') cells.set(name, cell);
    positions.set(name, column);
  }
  return { line, cells, positionOf: (name) => positions.get(name), findings, said };
}
