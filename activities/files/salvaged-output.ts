import type { Output } from '../../src/domain/exchange.js';
import type { SyncAdapter } from '../../src/kinds/adapter.js';
import { readMediaFacts } from '../../src/store/media-facts.js';
import { SNIFF_BYTES, sniffMedia } from '../../src/store/media-type.js';
import { wholenessOf, withByteReader } from '../../src/store/media-whole.js';

/** The output that an answer names or holds although it is no documented result (TS); bytes count only as a whole file. */
export async function salvageOutput(
  adapter: SyncAdapter,
  body: Uint8Array,
  isAccepted: boolean,
): Promise<Pick<Output, 'url' | 'base64'> | undefined> {
  const found = adapter.salvageOutput(body, isAccepted);
  if (found === undefined || 'url' in found) return found;
  return found.isWhole || (await isWholeFile(found.bytes)) ? { base64: found.bytes.toString('base64') } : undefined;
}

/** Whether bytes are an image or a clip from the first to the last, by the file's own lengths. */
export async function isWholeFile(bytes: Buffer): Promise<boolean> {
  const type = sniffMedia(bytes.subarray(0, SNIFF_BYTES));
  if (type?.family !== 'image' && type?.family !== 'video') return false;
  const file = { head: bytes, bytes: bytes.length, sha256: '' };
  const wholeness = await withByteReader(file, (reader) => wholenessOf(type, reader));
  if (!wholeness.isWhole || !wholeness.isTold) return false;
  const reading = await readMediaFacts(type, file);
  return 'facts' in reading && reading.isGivenUp !== true;
}
