/** PNG images of exactly the asked size, whose colours follow from a text. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

const COLOURS = 16;
const PIXELS_CACHE_MAX = 64;
const EMPTY = Buffer.alloc(0);
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

// The compressed pixels depend on the size alone: colours live in the palette, so one deflate serves every image of a size.
const pixelsBySize = new Map<string, Promise<Buffer>>();

interface PngOptions {
  /** Pixels, 1 to 8192. */
  width: number;
  height: number;
  /** The same text gives the same colours. */
  look: string;
  /** Stored in a tEXt chunk, so that images of one look can still be told apart. */
  tag: string;
}

/** A PNG with a 16-colour palette (4 bits per pixel): a diagonal gradient between two colours that follow from `look`. */
export async function makePng(options: PngOptions): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(options.width, 0);
  header.writeUInt32BE(options.height, 4);
  header.set([4, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette(options.look)),
    chunk('tEXt', Buffer.from(`Comment\0${options.tag}`, 'latin1')),
    chunk('IDAT', await pixels(options.width, options.height)),
    chunk('IEND', EMPTY),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(data, crc32(head.subarray(4))), 0);
  return Buffer.concat([head, data, tail]);
}

function palette(look: string): Buffer {
  const digest = createHash('sha256').update(look).digest();
  const table = Buffer.alloc(COLOURS * 3);
  for (let colour = 0; colour < COLOURS; colour += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      const from = digest[channel] ?? 0;
      const to = digest[channel + 3] ?? 255;
      table[colour * 3 + channel] = Math.round(from + ((to - from) * colour) / (COLOURS - 1));
    }
  }
  return table;
}

function pixels(width: number, height: number): Promise<Buffer> {
  const key = `${width}x${height}`;
  const known = pixelsBySize.get(key);
  if (known !== undefined) return known;
  const made = deflatePixels(width, height);
  pixelsBySize.set(key, made);
  const oldest = pixelsBySize.keys().next().value;
  if (pixelsBySize.size > PIXELS_CACHE_MAX && oldest !== undefined) pixelsBySize.delete(oldest);
  return made;
}

function deflatePixels(width: number, height: number): Promise<Buffer> {
  // Rows of one band are equal, so sixteen bands of rows make the whole image.
  const bands = Array.from({ length: COLOURS }, (_, band) => scanline(width, band));
  const rows = Array.from({ length: height }, (_, row) => bands[Math.floor((row * COLOURS) / height)] ?? EMPTY);
  return promisify(deflate)(Buffer.concat(rows));
}

function scanline(width: number, band: number): Buffer {
  const line = Buffer.alloc(1 + Math.ceil(width / 2));
  for (let x = 0; x < width; x += 1) {
    const colour = Math.floor(((x * COLOURS) / width + band) / 2) % COLOURS;
    const index = 1 + (x >> 1);
    line[index] = (line[index] ?? 0) | (x % 2 === 0 ? colour << 4 : colour);
  }
  return line;
}
