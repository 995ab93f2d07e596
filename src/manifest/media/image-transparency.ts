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
