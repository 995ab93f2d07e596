import { createHash } from 'node:crypto';
import { imageSize } from 'image-size';
import type { MediaFacts } from '../../src/domain/media-type.js';

/** What the small files of the simulation show, without the product's decoders, which load themselves outside of the virtual time. */
export async function probeMedia(bytes: Buffer): Promise<MediaFacts> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const facts = { bytes: bytes.length, sha256 };
  if (bytes.toString('latin1', 1, 4) !== 'PNG') return { sort: 'video', mediaType: 'video/mp4', ...facts };
  const { width, height } = imageSize(bytes);
  return { sort: 'image', mediaType: 'image/png', ...facts, width, height, transparent: false };
}
