import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import type { MediaFacts } from '../../domain/media-facts.js';
import { sortOfType } from '../../domain/media-type.js';
import { hasTransparency } from './image-transparency.js';
import { secondsOf } from './media-seconds.js';

/** Names that file-type gives to types which the documents call otherwise. */
const SAME_TYPE: Readonly<Record<string, string>> = {
  'audio/vnd.wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'image/heic-sequence': 'image/heic',
  'image/heif-sequence': 'image/heif',
  'video/x-m4v': 'video/mp4',
  'image/apng': 'image/png',
};

/** Reads what the bytes show: type by magic, pixels, transparency, seconds. Never throws for strange bytes. */
export async function probeMedia(bytes: Buffer): Promise<MediaFacts> {
  const mediaType = await typeOf(bytes);
  const facts: MediaFacts = {
    sort: sortOfType(mediaType),
    mediaType,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
  if (facts.sort === 'image') addImageFacts(facts, bytes);
  if (facts.sort === 'video' || facts.sort === 'audio') {
    const seconds = await secondsOf(bytes);
    if (seconds !== undefined) facts.seconds = seconds;
  }
  return facts;
}

async function typeOf(bytes: Buffer): Promise<string> {
  try {
    const type = await fileTypeFromBuffer(bytes);
    const mediaType = type?.mime ?? 'application/octet-stream';
    return SAME_TYPE[mediaType] ?? mediaType;
  } catch {
    return 'application/octet-stream';
  }
}

function addImageFacts(facts: MediaFacts, bytes: Buffer): void {
  try {
    const { width, height } = imageSize(bytes);
    facts.width = width;
    facts.height = height;
  } catch {
    return;
  }
  const transparent = hasTransparency(facts.mediaType, bytes);
  if (transparent !== undefined) facts.transparent = transparent;
}
