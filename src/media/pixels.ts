import { imageSize } from 'image-size';

interface Pixels {
  width: number;
  height: number;
}

/**
 * How large a still picture is by its own header. Throws where that cannot be read. The library takes the fill bytes of a
 * JPEG, any number of which may stand before a marker, for a damage.
 */
export function pixelsOf(bytes: Uint8Array): Pixels {
  return frameOfJpeg(bytes) ?? imageSize(bytes);
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
