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
