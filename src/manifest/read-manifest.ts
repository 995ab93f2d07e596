import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Finding, RawRow } from '../domain/raw-row.js';
import { type CsvHeader, readHeader, rowOfRecord } from './csv-rows.js';
import { rowOfObject } from './jsonl-rows.js';
import { reasonOf } from './media/local-path.js';
import { ManifestStop, quoted } from './problem.js';
import { readCsv } from './read-csv.js';
import { readJsonl } from './read-jsonl.js';

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
  const bytes = await openSource(source);
  if (formatOf(options) === 'jsonl') {
    for await (const record of readJsonl(bytes)) yield rowOfObject(record);
    return;
  }
  let header: CsvHeader | undefined;
  for await (const record of readCsv(bytes, delimiter)) {
    if (header === undefined) {
      header = readHeader(record, delimiter);
      options.onHeader(
        header.names.filter((name) => name !== null),
        header.findings,
      );
    } else yield rowOfRecord(record, header);
  }
}

/** One character; `\\t` stands for TAB, which shells do not make of it. */
function delimiterOf(text: string): string {
  const delimiter = text === '\\t' ? '\t' : text;
  if (Array.from(delimiter).length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw new ManifestStop('B7', 1, 1, `--delimiter must be one character, such as ';' or '\\t', got ${quoted(text)}`);
}

/** By `format`, else by the file name; standard input is CSV. */
export function formatOf({ source, format }: Pick<ReadOptions, 'source' | 'format'>): 'csv' | 'jsonl' {
  if (format !== undefined) return format;
  return 'path' in source && /\.(?:jsonl|ndjson)$/i.test(source.path) ? 'jsonl' : 'csv';
}

/** Opens the bytes; what cannot be read is told before the first byte is asked for. */
async function openSource(source: ManifestSource): Promise<AsyncIterable<Uint8Array>> {
  if ('stream' in source) return source.stream;
  const { path } = source;
  try {
    if ((await stat(path)).isDirectory()) throw Object.assign(new Error('folder'), { code: 'EISDIR' });
  } catch (error) {
    throw unreadable(path, error);
  }
  return chunksOf(path);
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
  return new ManifestStop('B1', 1, 1, `cannot read manifest ${quoted(path)}: ${reasonOf(error)}`);
}
