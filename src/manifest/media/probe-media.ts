import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import { type MediaFacts, sortOfType } from '../../domain/media-type.js';

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

/**
 * True when an image has a transparent channel: PNG with alpha or a tRNS chunk, WEBP with its alpha flag, BMP with an
 * alpha mask. Undefined for other types, whose headers are not read.
 */
export function hasTransparency(mediaType: string, bytes: Buffer): boolean | undefined {
  switch (mediaType) {
    case 'image/png':
      return pngTransparency(bytes);
    case 'image/webp':
      return webpTransparency(bytes);
    case 'image/bmp':
      return bytes.length >= 70 && bytes.readUInt32LE(14) >= 56 && bytes.readUInt16LE(28) === 32
        ? bytes.readUInt32LE(66) !== 0
        : false;
    case 'image/jpeg':
      return false;
    default:
      return undefined;
  }
}

/** Chunks follow the 8-byte signature: length, type, data, checksum; tRNS stands before the first IDAT. */
function pngTransparency(bytes: Buffer): boolean {
  const colorType = bytes[25];
  if (colorType === 4 || colorType === 6) return true;
  let at = 8;
  while (at + 8 <= bytes.length) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'tRNS') return true;
    if (type === 'IDAT' || type === 'IEND') return false;
    at += 12 + bytes.readUInt32BE(at);
  }
  return false;
}

function webpTransparency(bytes: Buffer): boolean {
  if (bytes.length < 25) return false;
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return ((bytes[20] ?? 0) & 0x10) !== 0;
  if (chunk === 'VP8L') return (bytes.readUInt32LE(21) & 0x1000_0000) !== 0;
  return false;
}

/** Boxes of an MP4: their samples in all, and how many lie in each chunk. */
const SIZES = ['stsz', 'stz2'];
const CHUNKS = 'stsc';

/** The length of an audio or video file in seconds; undefined when it cannot be read or has no track. */
export async function secondsOf(bytes: Buffer): Promise<number | undefined> {
  // The library goes through a chunk sample by sample, also where a damaged file says that there are billions.
  if (samplesInChunk(bytes) > samplesInAll(bytes)) return undefined;
  const { ALL_FORMATS, BufferSource, Input, Logging, LogLevel } = await import('mediabunny');
  Logging.level = LogLevel.Silent; // What it has to say of strange files is not for our output.
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  try {
    if ((await input.getTracks()).length === 0) return undefined;
    const seconds = await input.computeDuration();
    return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}

/** The most that one chunk is said to have; 0 where nothing is said. */
function samplesInChunk(bytes: Buffer): number {
  let most = 0;
  for (const at of boxesNamed(bytes, CHUNKS)) {
    const end = Math.min(bytes.length, at - 4 + bytes.readUInt32BE(at - 4)) - 12;
    for (let entry = at + 12; entry <= end; entry += 12) most = Math.max(most, bytes.readUInt32BE(entry + 4));
  }
  return most;
}

function samplesInAll(bytes: Buffer): number {
  const counts = SIZES.flatMap((name) =>
    boxesNamed(bytes, name).flatMap((at) => (at + 16 <= bytes.length ? [bytes.readUInt32BE(at + 12)] : [])),
  );
  return counts.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...counts);
}

/** Where such names stand behind a length that fits into the file. */
function boxesNamed(bytes: Buffer, name: string): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(name, 4, 'latin1'); at !== -1; at = bytes.indexOf(name, at + 4, 'latin1')) {
    const size = bytes.readUInt32BE(at - 4);
    if (size >= 16 && at - 4 + size <= bytes.length) found.push(at);
  }
  return found;
}
