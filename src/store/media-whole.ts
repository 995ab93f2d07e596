import { open } from 'node:fs/promises';
import type { MediaType } from './media-type.js';
import type { PendingFile } from './port.js';

/** Tells from a container's own lengths where the file ends: a server may end a body early without a word, or add to it. */

const SEGMENTS_MAX = 200_000;
const SCAN_BYTES = 1 << 16;
/** Boxes at the top of an MP4; a length behind any other word may be no length at all. */
const BOXES = new Set(
  'ftyp moov mdat moof mfra free skip wide udta uuid sidx ssix styp meta emsg prft pdin pnot junk'.split(' '),
);

/** How the container's own lengths meet the file. Bytes that follow a whole one are no fault of it. */
export type Wholeness =
  | { isWhole: false }
  /** `isTold`: by its own lengths, and not only because nothing says otherwise. */
  | { isWhole: true; isTold: boolean; trailingBytes: number };

/** Of a container that does not say where it ends, whole is what is there. */
export async function wholenessOf(type: MediaType, reader: ByteReader): Promise<Wholeness> {
  const end = await endOf(type, reader);
  if (end === 'cut') return { isWhole: false };
  return { isWhole: true, isTold: end !== undefined, trailingBytes: end === undefined ? 0 : reader.bytes - end };
}

/** The offset behind its last byte; undefined when it does not say, or cannot be read so far. */
type End = number | 'cut' | undefined;

async function endOf(type: MediaType, reader: ByteReader): Promise<End> {
  switch (type.extension) {
    case 'png':
      return await endOfPng(reader);
    case 'jpg':
      return await endOfJpeg(reader);
    case 'webp':
    case 'wav':
      return await endOfRiff(reader);
    case 'mp4':
    case 'mov':
    case 'm4a':
      return await endOfMp4(reader);
    default:
      return undefined;
  }
}

/** Chunk by chunk to the last one, IEND. */
async function endOfPng(reader: ByteReader): Promise<End> {
  let offset = 8;
  for (let i = 0; i < SEGMENTS_MAX; i++) {
    const chunk = await reader.read(offset, 8);
    if (chunk === undefined) return undefined;
    if (chunk.length < 8) return 'cut';
    offset += 12 + chunk.readUInt32BE(0);
    if (chunk.toString('latin1', 4, 8) === 'IEND') return offset <= reader.bytes ? offset : 'cut';
  }
  return 'cut';
}

/** After the headers, whose previews may be pictures of their own, the end mark must come. */
async function endOfJpeg(reader: ByteReader): Promise<End> {
  let offset = 2;
  for (let i = 0; i < SEGMENTS_MAX; i++) {
    const segment = await reader.read(offset, 4);
    if (segment === undefined) return undefined;
    if (segment.length < 4 || segment[0] !== 0xff) return 'cut';
    if (segment[1] === 0xff) {
      offset += 1; // a fill byte before the mark
      continue;
    }
    if (segment[1] === 0xda) return await endMark(reader, offset);
    offset += 2 + segment.readUInt16BE(2);
  }
  return 'cut';
}

async function endMark(reader: ByteReader, from: number): Promise<End> {
  for (let end = reader.bytes; end > from; end -= SCAN_BYTES) {
    const start = Math.max(from, end - SCAN_BYTES);
    // One byte more, since the mark may lie across two pieces.
    const piece = await reader.read(start, end - start + 1);
    if (piece === undefined) return undefined;
    const mark = piece.lastIndexOf('\xff\xd9', undefined, 'latin1');
    if (mark >= 0) return start + mark + 2;
  }
  return 'cut';
}

async function endOfRiff(reader: ByteReader): Promise<End> {
  const size = (await reader.read(4, 4))?.readUInt32LE(0);
  // A writer that could not go back to its header leaves 0 or all ones.
  if (size === undefined || size === 0 || size === 0xffffffff) return undefined;
  // An odd chunk is padded by one byte, which some count and some do not.
  const end = Math.min(reader.bytes, size + 8 + (size % 2));
  return size + 8 <= reader.bytes ? end : 'cut';
}

/**
 * Box by box: each must end within the file; the index (`moov`) and what it points to (`mdat`) must be there. A last box
 * that goes on to the end, and fragments without their index (`mfra`), may be followed by more.
 */
async function endOfMp4(reader: ByteReader): Promise<End> {
  const seen = new Set<string>();
  let offset = 0;
  for (let i = 0; i < SEGMENTS_MAX && offset < reader.bytes; i++) {
    const isComplete = seen.has('moov') && seen.has('mdat');
    const box = await reader.read(offset, 16);
    if (box === undefined) return undefined;
    if (box.length < 8) return isComplete ? offset : 'cut';
    const word = box.toString('latin1', 4, 8);
    seen.add(word);
    const end = offset + sizeOf(box, reader.bytes - offset);
    const goesOn = box.readUInt32BE(0) === 0 && end === reader.bytes;
    if (goesOn && seen.has('moov') && seen.has('mdat')) return undefined;
    // Where no box begins, a file that has all it needs was over before.
    if (!BOXES.has(word) && isComplete && (end > reader.bytes || end < offset + 8)) return offset;
    if (end > reader.bytes || end < offset + 8) return 'cut';
    offset = end;
  }
  if (!seen.has('moov') || !seen.has('mdat')) return 'cut';
  return seen.has('moof') && !seen.has('mfra') ? undefined : offset;
}

/** Of a box by its first 16 bytes; 0 in the file means that it goes on to the end. */
function sizeOf(box: Buffer, bytesLeft: number): number {
  const size = box.readUInt32BE(0);
  if (size === 1) return box.length < 16 ? 0 : Number(box.readBigUInt64BE(8));
  return size === 0 && BOXES.has(box.toString('latin1', 4, 8)) ? bytesLeft : size;
}

/** Reads pieces of a file that is not visible yet: from its head, or from the disk where the store has one. */

export interface ByteReader {
  bytes: number;
  /** Up to `length` bytes from `offset`; fewer at the end; undefined where the bytes cannot be reached. */
  read(offset: number, length: number): Promise<Buffer | undefined>;
}

/** Opens the file for the time of `use`. */
export async function withByteReader<T>(file: PendingFile, use: (reader: ByteReader) => Promise<T>): Promise<T> {
  const head = Buffer.from(file.head.buffer, file.head.byteOffset, file.head.byteLength);
  const handle =
    file.localPath === undefined || head.length >= file.bytes ? undefined : await open(file.localPath, 'r');
  try {
    return await use({
      bytes: file.bytes,
      read: async (offset, length) => {
        const end = Math.min(offset + length, file.bytes);
        if (end <= head.length) return head.subarray(Math.min(offset, end), end);
        if (handle === undefined) return undefined;
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(0, end - offset)), 0, null, offset);
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await handle?.close();
  }
}
