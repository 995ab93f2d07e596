import { join } from 'node:path';
import { defined } from '../../domain/defined.js';
import type { OutputFile } from '../../domain/outcome.js';
import { isS3Address } from '../../domain/s3.js';
import { readMediaFacts } from '../../store/media-facts.js';
import { sniffMedia } from '../../store/media-type.js';
import { peekBytes } from '../../store/outputs.js';
import { readAsItLies, type Store } from '../../store/port.js';

/** As much of a file as a store shows before it is committed. */
const HEAD_BYTES = 1 << 18;

/** A file of a batch's folder as it lies in `store`, and whether it can be opened as media; undefined where there is none. */
export async function fileAsItLies(
  store: Store,
  batch: string,
  file: string,
): Promise<{ file: OutputFile; isMedia: boolean } | undefined> {
  const key = `${batch}/${file}`;
  const stored = await store.stat(key);
  const source = stored && (await readAsItLies(store, key, stored));
  if (stored === undefined || source === undefined) return undefined;
  const { head, close } = await peekBytes(source, HEAD_BYTES);
  await close();
  const type = sniffMedia(head);
  const localPath = isS3Address(store.location) ? undefined : join(store.location, key);
  const reading = type && (await readMediaFacts(type, { ...stored, head, ...defined({ localPath }) }));
  const isMedia = reading !== undefined && 'facts' in reading;
  const contentType = type?.contentType ?? 'application/octet-stream';
  return { file: { file, contentType, ...stored, ...(isMedia ? reading.facts : {}) }, isMedia };
}
