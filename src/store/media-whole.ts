import type { ByteReader } from './byte-reader.js';
import type { MediaType } from './media-type.js';

/** Tells from a container's own lengths whether the file was cut: a server may end a body early without a word. */

const SEGMENTS_MAX = 200_000;
const SCAN_BYTES = 1 << 16;

/** False when the container says that bytes are missing; true when it is whole or does not say. */
export async function isWhole(type: MediaType, reader: ByteReader): Promise<boolean> {
  switch (type.extension) {
    case 'png':
      return await isWholePng(reader);
    case 'jpg':
      return await isWholeJpeg(reader);
    case 'webp':
    case 'wav':
      return await isWholeRiff(reader);
    case 'mp4':
    case 'mov':
    case 'm4a':
      return await isWholeMp4(reader);
    default:
      return true;
  }
}

/** Chunk by chunk to the last one, IEND. */
async function isWholePng(reader: ByteReader): Promise<boolean> {
  let offset = 8;
  for (let i = 0; i < SEGMENTS_MAX; i++) {
    const chunk = await reader.read(offset, 8);
    if (chunk === undefined) return true;
    if (chunk.length < 8) return false;
    offset += 12 + chunk.readUInt32BE(0);
    if (chunk.toString('latin1', 4, 8) === 'IEND') return offset <= reader.bytes;
  }
  return false;
}

/** After the headers, whose previews may be pictures of their own, the end mark must come. */
async function isWholeJpeg(reader: ByteReader): Promise<boolean> {
  let offset = 2;
  for (let i = 0; i < SEGMENTS_MAX; i++) {
    const segment = await reader.read(offset, 4);
    if (segment === undefined) return true;
    if (segment.length < 4 || segment[0] !== 0xff) return false;
    if (segment[1] === 0xff) {
      offset += 1; // a fill byte before the mark
      continue;
    }
    if (segment[1] === 0xda) return await hasEndMark(reader, offset);
    offset += 2 + segment.readUInt16BE(2);
  }
  return false;
}

async function hasEndMark(reader: ByteReader, from: number): Promise<boolean> {
  for (let end = reader.bytes; end > from; end -= SCAN_BYTES) {
    const start = Math.max(from, end - SCAN_BYTES);
    // One byte more, since the mark may lie across two pieces.
    const piece = await reader.read(start, end - start + 1);
    if (piece === undefined || piece.includes('\xff\xd9', 0, 'latin1')) return true;
  }
  return false;
}

async function isWholeRiff(reader: ByteReader): Promise<boolean> {
  const size = (await reader.read(4, 4))?.readUInt32LE(0);
  // A writer that could not go back to its header leaves 0 or all ones.
  return size === undefined || size === 0 || size === 0xffffffff || size + 8 <= reader.bytes;
}

/** Box by box: each must end within the file; the index (`moov`) and what it points to (`mdat`) must be there. */
async function isWholeMp4(reader: ByteReader): Promise<boolean> {
  const seen = new Set<string>();
  const isComplete = () => seen.has('moov') && seen.has('mdat');
  let offset = 0;
  for (let i = 0; i < SEGMENTS_MAX && offset < reader.bytes; i++) {
    const box = await reader.read(offset, 16);
    if (box === undefined) return true;
    if (box.length < 8) return isComplete(); // a few bytes behind the last box
    seen.add(box.toString('latin1', 4, 8));
    let size = box.readUInt32BE(0);
    if (size === 0) return isComplete(); // the last box, to the end of the file
    if (size === 1) size = box.length < 16 ? 0 : Number(box.readBigUInt64BE(8));
    if (size < 8) return isComplete();
    offset += size;
  }
  return isComplete() && offset === reader.bytes;
}
