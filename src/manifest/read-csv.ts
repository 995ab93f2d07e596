import { CsvError, type Parser, parse } from 'csv-parse';
import { RECORD_BYTES_MAX } from '../domain/raw-row.js';
import { type CheckedBytes, checkedBytes } from './checked-bytes.js';
import { isColumn } from './columns.js';
import { ManifestStop, quoted } from './problem.js';

/** One CSV record: `line` is where it starts. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/**
 * Reads RFC 4180 text as a stream of records, the header among them; lines that are empty or blank are left out and rows may have any
 * number of cells. CR LF, LF and CR end a record. Throws `ManifestStop` where the text cannot be read on, after the
 * records before that place.
 */
export async function* readCsv(source: AsyncIterable<Uint8Array>, delimiter: string): AsyncGenerator<CsvRecord> {
  const checked = checkedBytes(source);
  const { parser, parsed } = recordParser(delimiter);
  let end = 0;
  let begun = false;
  function* records(): Generator<CsvRecord> {
    for (const record of parsed.splice(0)) {
      const line = checked.lines.lineAt(checked.lines.skipLineEnds(end));
      end = record.end;
      if (isBlank(record)) continue;
      begun = true;
      yield { line, cells: record.cells };
    }
  }
  for await (const chunk of checked.chunks) {
    const error = await settled((done) => parser.write(chunk, done));
    yield* records();
    if (error !== undefined) throw stopOf(error, checked, { end, isFirst: !begun }, delimiter);
  }
  const failure = checked.failure();
  if (failure !== undefined) throw failure;
  const error = await settled((done) => parser.end(done));
  yield* records();
  if (error !== undefined) throw stopOf(error, checked, { end, isFirst: !begun }, delimiter);
}

/** A line of blanks is as empty as one without. */
function isBlank({ cells }: ParsedRecord): boolean {
  return cells.length === 1 && cells[0]?.trim() === '';
}

interface ParsedRecord {
  cells: string[];
  /** Byte offset behind the record. */
  end: number;
}

/** The parser hands its records over by `on_record`: as a stream it would drop them when it meets an error. */
function recordParser(delimiter: string): { parser: Parser; parsed: ParsedRecord[] } {
  const parsed: ParsedRecord[] = [];
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: RECORD_BYTES_MAX,
    on_record: (cells: string[], context) => {
      parsed.push({ cells, end: context.bytes });
      return null;
    },
  });
  parser.on('error', () => undefined); // Also given to the callback of the write that met it.
  return { parser, parsed };
}

function settled(act: (done: (error?: Error | null) => void) => void): Promise<Error | undefined> {
  return new Promise((resolve) => act((error) => resolve(error ?? undefined)));
}

function stopOf(
  error: unknown,
  checked: CheckedBytes,
  { end, isFirst }: { end: number; isFirst: boolean },
  delimiter: string,
): unknown {
  if (!(error instanceof CsvError)) return error;
  const start = checked.lines.skipLineEnds(end);
  const line = checked.lines.lineAt(start);
  const column = typeof error.column === 'number' ? error.column + 1 : 1;
  const misread = isFirst ? otherDelimiter(firstLine(checked.lines.from(start)), line, delimiter) : undefined;
  if (misread !== undefined) return misread;
  if (isFirst && /^\s*[[{]/.test(firstLine(checked.lines.from(start)))) {
    return new ManifestStop('B5', line, 1, 'this is no CSV; where it is one JSON object a line, use --format jsonl');
  }
  switch (error.code) {
    case 'CSV_MAX_RECORD_SIZE':
      return new ManifestStop('B55', line, column, `cell is over ${RECORD_BYTES_MAX} bytes, limit 1 MiB`);
    case 'CSV_QUOTE_NOT_CLOSED': {
      const opened = line + linesBeforeOpenQuote(checked.lines.from(start), delimiter);
      return new ManifestStop('B5', line, column, `quote opened at line ${opened} is never closed`);
    }
    case 'CSV_INVALID_CLOSING_QUOTE':
      return new ManifestStop(
        'B5',
        line,
        column,
        'text follows a closing quote; write a quote inside a quoted cell twice, and a delimiter between cells',
      );
    case 'INVALID_OPENING_QUOTE':
      return new ManifestStop(
        'B5',
        line,
        column,
        'a quote stands inside an unquoted cell; quote the whole cell and write the quote twice',
      );
    default:
      return new ManifestStop('B5', line, column, `cannot read the CSV: ${quoted(error.message)}`);
  }
}

/** A quoted header that another character separates is a broken quote to the parser. */
function firstLine(bytes: Buffer): string {
  return bytes.toString('utf8').split(/[\r\n]/, 1)[0] ?? '';
}

/** Walks the unfinished record and counts the line ends before the quote that is still open. */
function linesBeforeOpenQuote(record: Buffer, delimiter: string): number {
  const text = record.toString('utf8');
  let lines = 0;
  let opened = 0;
  let inside = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      if (inside && text[at + 1] === '"') at += 1;
      else {
        inside = !inside;
        if (inside) opened = lines;
      }
    } else if (character === '\n' || (character === '\r' && text[at + 1] !== '\n')) lines += 1;
    else if (!inside && text.startsWith(delimiter, at)) at += delimiter.length - 1;
  }
  return opened;
}

const DELIMITERS: Readonly<Record<string, string>> = { ';': ';', '\t': 'TAB', '|': '|', ',': ',' };

/** What Excel writes before the header to name its separator. */
const EXCEL_NOTE = /^sep=(.?)$/;

/** The stop (B7) for a header line that another character separates: then its parts are columns. */
export function otherDelimiter(header: string, line: number, delimiter: string): ManifestStop | undefined {
  const excel = EXCEL_NOTE.exec(header.replaceAll('"', ''));
  if (excel !== null) {
    const option = excel[1] === ',' ? '' : ` and use --delimiter '${excel[1] === '\t' ? '\\t' : excel[1]}'`;
    return new ManifestStop('B7', line, 1, `is Excel's note of its separator, no header; take this line out${option}`);
  }
  for (const [other, name] of Object.entries(DELIMITERS)) {
    if (other === delimiter) continue;
    const parts = header.split(other).map((part) => part.trim().replace(/^"|"$/g, ''));
    if (parts.length < 2 || !areColumns(parts)) continue;
    const option = other === '\t' ? '\\t' : other;
    return new ManifestStop('B7', line, 1, `looks ${name}-separated; use --delimiter '${option}'`);
  }
  return undefined;
}

/** `id`, or two others in whatever letters: the id may be misspelt. */
function areColumns(names: readonly string[]): boolean {
  return names.includes('id') || names.filter((name) => isColumn(name.toLowerCase())).length > 1;
}
