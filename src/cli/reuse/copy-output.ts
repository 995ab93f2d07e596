import type { BatchOptions } from '../../domain/batch.js';
import { defined } from '../../domain/defined.js';
import type { OutputFile } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { type CommittedFile, type CopyOptions, type Store, StoreError } from '../../store/port.js';

/** Copies the outputs of earlier renders, by the store itself where it can do that. */

/** The store and the batch in it that a file is copied to, and the row that it becomes an output of. */
export interface CopyTarget {
  store: Store;
  batch: string;
  row: Row;
  onExists: BatchOptions['onExists'];
}

/** An output of another batch as the row has it now. */
export interface CopiedOutput {
  output: OutputFile;
  key: string;
  /** False where the same bytes lay there before: of a command that was killed, or a file of somebody's own. */
  isNew: boolean;
}

/** Copies one output of another batch; throws a StoreError `CHANGED` where it is not what was stored there. */
export async function copyOutput(
  from: { store: Store; batch: string },
  file: OutputFile,
  { store, batch, row, onExists }: CopyTarget,
  position: number,
): Promise<CopiedOutput> {
  const extension = file.file.slice(file.file.lastIndexOf('.') + 1);
  const base = `${batch}/media/${row.stem}${position === 0 ? '' : `-${position + 1}`}`;
  const mayVersion = onExists !== 'fail' || position > 0;
  const key = `${base}.${extension}`;
  const options: CopyOptions = {
    attemptName: `${row.id}-reused-${position}`,
    expected: file,
    ...(mayVersion ? { nextKey: (n: number) => `${base}.v${n}.${extension}` } : {}),
  };
  const copied = await copy(from.store, `${from.batch}/${file.file}`, store, key, options);
  const { etag: _etag, version: _version, ...facts } = file;
  const object = defined({ etag: copied.etag, version: copied.version });
  const output = { ...facts, file: copied.key.slice(batch.length + 1), ...object };
  return { output, key: copied.key, isNew: !copied.wasThere };
}

/** Within folders, or within buckets, without the bytes coming through this process. */
async function copy(
  from: Store,
  fromKey: string,
  to: Store,
  key: string,
  options: CopyOptions,
): Promise<CommittedFile> {
  const place = from.placeOf?.(fromKey);
  if (place !== undefined && place.in === to.placeOf?.(key).in && to.copyFile !== undefined) {
    return to.copyFile(place, key, options);
  }
  const changed = () =>
    new StoreError('CHANGED', `'${fromKey}' is not the file that was stored there any more`, fromKey);
  const source = await from.read(fromKey);
  if (source === undefined) throw changed();
  return to.putStream(key, source, {
    ...options,
    ifExists: 'fail',
    beforeCommit: ({ sha256 }) => {
      if (sha256 !== options.expected.sha256) throw changed();
    },
  });
}
