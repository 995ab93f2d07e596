import type { MediaReading } from '../../src/store/media-facts.js';
import type { MediaType } from '../../src/store/media-type.js';
import { wholenessOf, withByteReader } from '../../src/store/media-whole.js';
import type { PendingFile } from '../../src/store/port.js';

/** The container check of the product without its decoders, which load themselves outside of the virtual time. */
export async function readMediaFacts(type: MediaType, file: PendingFile): Promise<MediaReading> {
  const { isWhole } = await withByteReader(file, (reader) => wholenessOf(type, reader));
  return isWhole ? { facts: {} } : { problem: 'truncated' };
}
