import { imageSize } from 'image-size';

interface Pixels {
  width: number;
  height: number;
}

/**
 * How large a still picture is by its own header. Throws where that cannot be read. The library takes for a damage what is
 * none: the fill bytes of a JPEG, any number of which may stand before a marker, and brands that it does not know.
 */
export function pixelsOf(bytes: Uint8Array): Pixels {
  return frameOfJpeg(bytes) ?? imageSize(underKnownBrand(bytes));
}

/** Brands of AVIF and HEIC that the library does not know, and one of the same container that it does. */
const KNOWN_BRANDS: Readonly<Record<string, string>> = { avis: 'avif', heim: 'heic' };

function underKnownBrand(bytes: Uint8Array): Uint8Array {
  const [, brand = ''] = /^ftyp(....)/.exec(Buffer.from(bytes.subarray(4, 12)).toString('latin1')) ?? [];
  const known = KNOWN_BRANDS[brand];
  if (known === undefined) return bytes;
  const renamed = Buffer.from(bytes);
  renamed.write(known, 8, 'latin1');
  return renamed;
}

/** Segment by segment to the frame's header; undefined where there is none before the picture begins, or no JPEG. */
function frameOfJpeg(bytes: Uint8Array): Pixels | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xda) return undefined;
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Among those of frames stand the tables of Huffman and arithmetic codes, and one that is reserved. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
