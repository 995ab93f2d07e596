import type { OUTPUT_EXTENSIONS, OutputExtension } from '../domain/media-type.js';

/** Tells what a file is from its first bytes; the name and the server's word do not count. */

export type MediaFamily = keyof typeof OUTPUT_EXTENSIONS;

export interface MediaType {
  contentType: string;
  /** Without the dot. */
  extension: OutputExtension;
  family: MediaFamily;
}

/** So many first bytes are enough to tell. */
export const SNIFF_BYTES = 512;

const PNG = { contentType: 'image/png', extension: 'png', family: 'image' } as const;
const JPEG = { contentType: 'image/jpeg', extension: 'jpg', family: 'image' } as const;
const WEBP = { contentType: 'image/webp', extension: 'webp', family: 'image' } as const;
const GIF = { contentType: 'image/gif', extension: 'gif', family: 'image' } as const;
const AVIF = { contentType: 'image/avif', extension: 'avif', family: 'image' } as const;
const HEIC = { contentType: 'image/heic', extension: 'heic', family: 'image' } as const;
const BMP = { contentType: 'image/bmp', extension: 'bmp', family: 'image' } as const;
const TIFF = { contentType: 'image/tiff', extension: 'tiff', family: 'image' } as const;
const JXL = { contentType: 'image/jxl', extension: 'jxl', family: 'image' } as const;
const MP4 = { contentType: 'video/mp4', extension: 'mp4', family: 'video' } as const;
const MOV = { contentType: 'video/quicktime', extension: 'mov', family: 'video' } as const;
const WEBM = { contentType: 'video/webm', extension: 'webm', family: 'video' } as const;
const MKV = { contentType: 'video/x-matroska', extension: 'mkv', family: 'video' } as const;
const M4A = { contentType: 'audio/mp4', extension: 'm4a', family: 'audio' } as const;
const WAV = { contentType: 'audio/wav', extension: 'wav', family: 'audio' } as const;
const MP3 = { contentType: 'audio/mpeg', extension: 'mp3', family: 'audio' } as const;
const JSON_TEXT = { contentType: 'application/json', extension: 'json', family: 'json' } as const;

/** Still pictures in the container of MP4. */
const AVIF_BRANDS = new Set(['avif', 'avis']);
const HEIC_BRANDS = new Set(['heic', 'heix', 'heim', 'hevc', 'mif1', 'msf1']);

/** The type by its magic bytes, undefined when it is none that an output can have. */
export function sniffMedia(head: Uint8Array): MediaType | undefined {
  if (text(head, 0, 8) === '\x89PNG\r\n\x1a\n') return PNG;
  if (text(head, 0, 3) === '\xff\xd8\xff') return JPEG;
  if (text(head, 0, 6) === 'GIF87a' || text(head, 0, 6) === 'GIF89a') return GIF;
  if (text(head, 0, 4) === 'RIFF') return { WEBP, WAVE: WAV }[text(head, 8, 12)];
  if (text(head, 0, 4) === 'II*\0' || text(head, 0, 4) === 'MM\0*') return TIFF;
  if (text(head, 0, 2) === 'BM' && head.length >= 26) return BMP;
  if (text(head, 0, 2) === '\xff\x0a' || text(head, 0, 12) === '\0\0\0\x0cJXL \r\n\x87\n') return JXL;
  if (text(head, 4, 8) === 'ftyp') return byBrand(text(head, 8, 12));
  if (['moov', 'wide', 'mdat'].includes(text(head, 4, 8))) return MOV;
  if (text(head, 0, 4) === '\x1aE\xdf\xa3') return text(head, 0, 64).includes('webm') ? WEBM : MKV;
  if (text(head, 0, 3) === 'ID3' || isMp3Frame(head)) return MP3;
  return looksLikeJson(head) ? JSON_TEXT : undefined;
}

/** What bytes that are no media seem to be, for a message: the bytes themselves are not shown. */
export function describeBytes(head: Uint8Array): string {
  const start = text(head, 0, SNIFF_BYTES)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
    .toLowerCase();
  if (start.startsWith('<!doctype html') || start.startsWith('<html') || start.includes('<head')) return 'an HTML page';
  if (start.startsWith('<')) return 'an XML document';
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip data';
  return /^[\t\n\r\x20-\x7e]*$/.test(start) ? 'plain text' : 'bytes of an unknown format';
}

function byBrand(brand: string): MediaType | undefined {
  if (brand === 'qt  ') return MOV;
  if (brand.startsWith('M4A') || brand.startsWith('M4B')) return M4A;
  if (AVIF_BRANDS.has(brand)) return AVIF;
  return HEIC_BRANDS.has(brand) ? HEIC : MP4;
}

/** Frame sync, layer III, and no reserved version, rate or bit rate. */
function isMp3Frame(head: Uint8Array): boolean {
  const [sync = 0, second = 0, third = 0] = head;
  if (sync !== 0xff || (second & 0xe6) !== 0xe2) return false;
  return (second & 0x18) !== 0x08 && third >> 4 !== 15 && (third & 0x0c) !== 0x0c;
}

function looksLikeJson(head: Uint8Array): boolean {
  return /^(?:\xef\xbb\xbf)?[\t\n\r ]*[{[]/.test(text(head, 0, SNIFF_BYTES));
}

function text(head: Uint8Array, start: number, end: number): string {
  return Buffer.from(head.subarray(start, end)).toString('latin1');
}
