/**
 * The seconds of a WAV file whose samples are packed (ADPCM, MP3 in WAV): the library that opens sound does not know those.
 * Every such file says the number of its samples; its bytes per second are often wrong.
 */
export function packedWavSeconds(bytes: Buffer): number | undefined {
  let rate = 0;
  let samples = 0;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const [type, size, start] = [bytes.toString('latin1', at, at + 4), bytes.readUInt32LE(at + 4), at + 8];
    if (type === 'data') return rate > 0 && samples > 0 && start < bytes.length ? samples / rate : undefined;
    if (type === 'fmt ' && start + 8 <= bytes.length) rate = bytes.readUInt32LE(start + 4);
    if (type === 'fact' && start + 4 <= bytes.length) samples = bytes.readUInt32LE(start);
    // Chunks begin at even places.
    at = start + size + (size % 2);
  }
  return undefined;
}
