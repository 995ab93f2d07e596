import { stringify } from 'csv-stringify/sync';

/** Records as RFC 4180 text, each ended by a line feed; a cell with any line end in it is quoted. */
export function csvText(records: readonly (readonly string[])[]): string {
  return stringify([...records], { quoted_match: /[\r\n]/, record_delimiter: '\n' });
}

const RECORDS_PER_CHUNK = 200;

/** The same as a stream of chunks, for any number of records. */
export async function* csvChunks(records: AsyncIterable<readonly string[]>): AsyncIterable<string> {
  let held: (readonly string[])[] = [];
  for await (const record of records) {
    held.push(record);
    if (held.length < RECORDS_PER_CHUNK) continue;
    yield csvText(held);
    held = [];
  }
  if (held.length > 0) yield csvText(held);
}

/** Blanks of every width, which spreadsheets skip before they look for a formula. */
const BLANKS = '[\\s\\u200b-\\u200f\\u2060]*';

/** `= + - @` in plain or full-width form, also after blanks; or a TAB or CR at the start, also after blanks. */
const FORMULA = new RegExp(`^${BLANKS}[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]|^[^\\S\\t\\r]*[\\t\\r]`, 'u');

/** A text cell that no spreadsheet takes for a formula: an apostrophe goes before one that it would. */
export function spreadsheetSafe(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
