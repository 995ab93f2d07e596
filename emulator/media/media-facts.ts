/** What the bytes of brought-along media really are: format, pixels, transparency, seconds. */
import { imageSize } from 'image-size';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';

export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'bmp' | 'gif' | 'heic' | 'tiff' | 'other';

export interface ImageFacts {
  format: ImageFormat;
  /** Pixels. */
  width: number;
  height: number;
  hasAlpha: boolean;
}

const FORMATS: Readonly<Record<string, ImageFormat>> = {
  png: 'png',
  jpg: 'jpeg',
  jpeg: 'jpeg',
  webp: 'webp',
  bmp: 'bmp',
  gif: 'gif',
  heic: 'heic',
  heif: 'heic',
  tiff: 'tiff',
};

/** The facts of an image, by its magic bytes; undefined where it cannot be decoded. */
export function imageFacts(bytes: Buffer): ImageFacts | undefined {
  try {
    const size = imageSize(bytes);
    const format = FORMATS[size.type ?? ''] ?? 'other';
    if (!(size.width > 0 && size.height > 0)) return undefined;
    return { format, width: size.width, height: size.height, hasAlpha: hasAlpha(bytes, format) };
  } catch {
    return undefined;
  }
}

function hasAlpha(bytes: Buffer, format: ImageFormat): boolean {
  if (format === 'png') {
    const colourType = bytes[25] ?? 0;
    return colourType === 4 || colourType === 6 || hasPngTransparency(bytes);
  }
  if (format !== 'webp') return false;
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return ((bytes[20] ?? 0) & 0x10) !== 0;
  return kind === 'VP8L' && ((bytes[24] ?? 0) & 0x10) !== 0;
}

function hasPngTransparency(bytes: Buffer): boolean {
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'tRNS') return true;
    if (type === 'IDAT') return false;
  }
  return false;
}

interface ClipFacts {
  format: 'mp4' | 'mov' | 'wav' | 'mp3' | 'other';
  seconds: number;
  /** Pixels; absent where there is no picture. */
  width?: number;
  height?: number;
}

/** The facts of a video or a sound; undefined where it cannot be read. */
export async function clipFacts(bytes: Buffer): Promise<ClipFacts | undefined> {
  try {
    const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
    const formatName = (await input.getFormat()).name;
    const seconds = await input.computeDuration();
    const track = await input.getPrimaryVideoTrack();
    if (!(seconds > 0)) return undefined;
    const size = track === null ? {} : { width: await track.getDisplayWidth(), height: await track.getDisplayHeight() };
    return { format: clipFormat(formatName), seconds, ...size };
  } catch {
    return undefined;
  }
}

function clipFormat(name: string): ClipFacts['format'] {
  if (name === 'MP4') return 'mp4';
  if (name === 'QuickTime File Format') return 'mov';
  if (name === 'WAVE') return 'wav';
  return name === 'MP3' ? 'mp3' : 'other';
}
