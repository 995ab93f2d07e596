import { extname } from 'node:path';
import { defined } from '../domain/defined.js';
import type { OutputFile } from '../domain/outcome.js';
import { type MediaReading, readMediaFacts } from './media-facts.js';
import { describeBytes, type MediaFamily, type MediaType, SNIFF_BYTES, sniffMedia } from './media-type.js';
import { type CommittedFile, type PendingFile, type Store, StoreError } from './port.js';

/** A batch's folder of finished files: the only place that knows their names and what may become one of them. */

export interface SaveOptions {
  /** From the row: no extension, relative to the media folder. */
  stem: string;
  /** 0 for a job's first output; further ones are `<stem>-2.<ext>`, `<stem>-3.<ext>`, … */
  position: number;
  /** Names the part file; the same for every try of one attempt's output. */
  attemptName: string;
  expected: MediaFamily | 'any';
  /**
   * When the name holds other bytes. An equal file is always taken as ours. What was rendered is never thrown away:
   * `skip` keeps rows from being sent, and where the name was taken since, the file steps aside with a warning.
   */
  onExists: 'fail' | 'skip' | 'version';
}

export interface SavedOutput {
  file: OutputFile;
  warnings: string[];
}

export type Outputs = ReturnType<typeof createOutputs>;

/** What is wrong with the bytes. `empty` and `truncated` may be better at the next try, as may a page of a proxy. */
export type RefusalReason = 'empty' | 'not_media' | 'wrong_family' | 'truncated' | 'unreadable' | 'no_track';

export class OutputRefused extends Error {
  override readonly name = 'OutputRefused';
  constructor(
    readonly reason: RefusalReason,
    message: string,
  ) {
    super(message);
  }
}

const WORDS = {
  truncated: 'ends in the middle: bytes are missing',
  unreadable: 'cannot be opened as what it claims to be',
  no_track: 'has nothing to play',
} as const;

/** `store` is the place given by `--out`; everything lies below the batch's name in it. */
export function createOutputs(store: Store, batch: string) {
  return {
    /**
     * Streams a file to its final name, whole or not at all, in constant memory. Throws an OutputRefused for bytes that
     * are not what was expected, a StoreError where the store refuses, and what the source throws as it is.
     */
    save: async (source: AsyncIterable<Uint8Array>, options: SaveOptions): Promise<SavedOutput> => {
      const peeked = await peekBytes(source, SNIFF_BYTES);
      try {
        const type = checkedType(peeked.head, options.expected);
        return await write(store, batch, baseOf(batch, options), type, peeked.whole, options);
      } finally {
        await peeked.close();
      }
    },
    /** The output where it holds the bytes of `file` already: an earlier try made it, and its word was lost. */
    made: async (name: Pick<SaveOptions, 'stem' | 'position'>, file: OutputFile): Promise<OutputFile | undefined> => {
      const key = `${baseOf(batch, name)}${extname(file.file)}`;
      const held = await store.stat(key);
      return held?.sha256 === file.sha256 ? { ...file, ...held, file: key.slice(batch.length + 1) } : undefined;
    },
    /** Files as they lie; undefined unless each is there with the bytes that were stored. Whoever asks can fetch them. */
    there: async (files: readonly OutputFile[]): Promise<OutputFile[] | undefined> => {
      const found: OutputFile[] = [];
      for (const { etag: _etag, version: _version, ...file } of files) {
        const held = await store.stat(`${batch}/${file.file}`).catch(unreadable);
        if (held?.sha256 !== file.sha256 || held.bytes !== file.bytes) return undefined;
        found.push({ ...file, ...held });
      }
      return found;
    },
  };
}

function unreadable(error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
}

function baseOf(batch: string, { stem, position }: Pick<SaveOptions, 'stem' | 'position'>): string {
  return `${batch}/media/${stem}${position === 0 ? '' : `-${position + 1}`}`;
}

async function write(
  store: Store,
  batch: string,
  base: string,
  type: MediaType,
  source: AsyncIterable<Uint8Array>,
  options: SaveOptions,
): Promise<SavedOutput> {
  let reading: MediaReading = { facts: {} };
  // A row's further outputs are not planned by name, so that they step aside for a row that is.
  const mayVersion = options.onExists !== 'fail' || options.position > 0;
  const key = `${base}.${type.extension}`;
  const versionKey = (n: number) => `${base}.v${n}.${type.extension}`;
  const inspect = async (file: PendingFile) => {
    reading = await readMediaFacts(type, file);
    if ('problem' in reading) {
      throw new OutputRefused(reading.problem, `the ${type.extension} file ${WORDS[reading.problem]}`);
    }
  };
  try {
    const written = await store.putStream(key, source, {
      attemptName: `${options.attemptName}-${options.position}`,
      ifExists: 'fail',
      beforeCommit: inspect,
      ...(mayVersion ? { nextKey: versionKey } : { spareKey: versionKey }),
    });
    const file = outputFile(batch, written, type, reading);
    return { file, warnings: [...doubts(type, reading), ...asideTexts(batch, key, file, options)] };
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'EEXIST') throw error;
    throw new StoreError('EEXIST', `refusing to overwrite ${key}; use --on-exists skip or version`, key);
  }
}

function doubts({ extension }: MediaType, reading: MediaReading): string[] {
  if ('problem' in reading) return [];
  const { trailingBytes = 0, isGivenUp = false } = reading;
  return [
    ...(trailingBytes > 0 ? [`kept as it came: ${trailingBytes} bytes follow the end of the ${extension} file`] : []),
    ...(isGivenUp ? [`kept as it came: nothing could be read of the ${extension} file, look whether it plays`] : []),
  ];
}

function asideTexts(batch: string, key: string, { file }: OutputFile, { onExists, position }: SaveOptions): string[] {
  const wanted = key.slice(batch.length + 1);
  if (file === wanted || onExists === 'version') return [];
  if (onExists === 'skip') return [`${wanted} was there when the output came: kept beside it as ${file}`];
  // The others may step aside; a first output only where nothing else is possible.
  return position === 0 ? [`the store refuses the name ${wanted}, which no file has: kept as ${file}`] : [];
}

function outputFile(
  batch: string,
  { key, bytes, sha256, etag, version }: CommittedFile,
  { contentType }: MediaType,
  reading: MediaReading,
): OutputFile {
  const facts = 'facts' in reading ? reading.facts : {};
  return { file: key.slice(batch.length + 1), contentType, bytes, sha256, ...facts, ...defined({ etag, version }) };
}

function checkedType(head: Uint8Array, expected: MediaFamily | 'any'): MediaType {
  if (head.length === 0) throw new OutputRefused('empty', 'the output has no bytes');
  const type = sniffMedia(head);
  const wanted = expected === 'any' ? 'media' : expected;
  if (type === undefined) throw new OutputRefused('not_media', `expected ${wanted}, got ${describeBytes(head)}`);
  if (expected !== 'any' && type.family !== expected) {
    throw new OutputRefused('wrong_family', `expected ${wanted}, got ${type.contentType}`);
  }
  return type;
}

/** Looks at the start of a stream without losing it. */

export interface PeekedBytes {
  /** At least `atLeast` bytes, fewer only when the stream has no more. */
  head: Uint8Array;
  /** The stream from its start, once. */
  whole: AsyncIterable<Uint8Array>;
  /** Ends the stream where it is; harmless after its end. */
  close(): Promise<void>;
}

export async function peekBytes(source: AsyncIterable<Uint8Array>, atLeast: number): Promise<PeekedBytes> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < atLeast) {
    const next = await iterator.next();
    if (next.done === true) break;
    chunks.push(next.value);
    bytes += next.value.length;
  }
  async function* whole(): AsyncIterable<Uint8Array> {
    yield* chunks.splice(0);
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  return {
    head: Buffer.concat(chunks),
    whole: whole(),
    close: async () => {
      await iterator.return?.();
    },
  };
}
