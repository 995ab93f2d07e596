import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import { type MediaFacts, sortOfType } from '../../domain/media-type.js';
import { pixelsOf } from '../../media/pixels.js';
import { readTracks } from '../../media/tracks.js';
import { packedWavSeconds } from './wav-length.js';

/** Names that file-type gives to types which the documents call otherwise. */
const SAME_TYPE: Readonly<Record<string, string>> = {
  'audio/vnd.wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'image/heic-sequence': 'image/heic',
  'image/heif-sequence': 'image/heif',
  'video/x-m4v': 'video/mp4',
  'image/apng': 'image/png',
};

/**
 * Reads what the bytes show: type by magic, pixels, transparency, seconds. Never throws for strange bytes. `path` is the
 * file that they are, if any.
 */
export async function probeMedia(bytes: Buffer, path?: string): Promise<MediaFacts> {
  const mediaType = await typeOf(bytes);
  const facts: MediaFacts = {
    sort: sortOfType(mediaType),
    mediaType,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
  if (facts.sort === 'image') addImageFacts(facts, bytes);
  if (facts.sort === 'video' || facts.sort === 'audio') {
    const tracks = await readTracks({ file: path ?? bytes, length: 'counted' });
    const played = typeof tracks === 'object' ? tracks.seconds : undefined;
    const seconds = played || (mediaType === 'audio/wav' ? packedWavSeconds(bytes) : undefined);
    if (seconds !== undefined && seconds > 0) facts.seconds = seconds;
  }
  return facts;
}

async function typeOf(bytes: Buffer): Promise<string> {
  try {
    const type = await fileTypeFromBuffer(bytes);
    // file-type has one name for all layers of MPEG audio: only the third is MP3.
    if (type?.ext === 'mp1' || type?.ext === 'mp2') return `audio/${type.ext}`;
    if (type === undefined && isMp3BehindTag(bytes)) return 'audio/mpeg';
    const mediaType = type?.mime ?? 'application/octet-stream';
    return SAME_TYPE[mediaType] ?? mediaType;
  } catch {
    return 'application/octet-stream';
  }
}

/** A tag may have a footer, and some leave zeros behind it; file-type looks where the tag says that it ends. */
function isMp3BehindTag(bytes: Buffer): boolean {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return false;
  const size = bytes.subarray(6, 10).reduce((sum, sevenBits) => sum * 128 + sevenBits, 0);
  let at = 10 + size + ((bytes.readUInt8(5) & 0x10) === 0 ? 0 : 10);
  while (bytes[at] === 0) at += 1;
  // Frame sync of the third layer.
  return bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xe6) === 0xe2;
}

function addImageFacts(facts: MediaFacts, bytes: Buffer): void {
  try {
    const { width, height } = pixelsOf(bytes);
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
