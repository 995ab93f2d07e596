import { deflateSync } from 'node:zlib';
import {
  BufferTarget,
  EncodedPacket,
  EncodedVideoPacketSource,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';

/** Small media made for the tests: real headers, as little content as the formats allow. */

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG of any size; `paddedTo` makes the file that many bytes. */
export function png(
  width: number,
  height: number,
  options: { alpha?: boolean; keyed?: boolean; paddedTo?: number } = {},
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, options.alpha === true ? 6 : 2, 0, 0, 0], 8);
  const parts = [PNG_SIGNATURE, chunk('IHDR', header)];
  if (options.keyed === true) parts.push(chunk('tRNS', Buffer.alloc(6)));
  parts.push(chunk('IDAT', deflateSync(Buffer.alloc(16))), chunk('IEND', Buffer.alloc(0)));
  return padded(Buffer.concat(parts), options.paddedTo);
}

/** With two fill bytes before its second marker, as any may have. */
export function filledJpeg(width: number, height: number): Buffer {
  const bytes = jpeg(width, height);
  return Buffer.concat([bytes.subarray(0, 20), Buffer.from([0xff, 0xff]), bytes.subarray(20)]);
}

export function jpeg(width: number, height: number, paddedTo?: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const app0 = Buffer.from([0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
  return padded(Buffer.concat([Buffer.from([0xff, 0xd8]), app0, frame, Buffer.from([0xff, 0xd9])]), paddedTo);
}

export function webp(width: number, height: number, alpha = false): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(22, 4);
  bytes.write('WEBPVP8X', 8, 'latin1');
  bytes.writeUInt32LE(10, 16);
  bytes[20] = alpha ? 0x10 : 0;
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
}

export function bmp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(58);
  bytes.write('BM', 0, 'latin1');
  bytes.writeUInt32LE(58, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

export function gif(width: number, height: number): Buffer {
  const bytes = Buffer.from('GIF89a\0\0\0\0\0\0\0;', 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length + 8);
  return Buffer.concat([length, Buffer.from(type, 'latin1'), content]);
}

export function heic(width: number, height: number): Buffer {
  const size = Buffer.alloc(12);
  size.writeUInt32BE(width, 4);
  size.writeUInt32BE(height, 8);
  const properties = box('iprp', box('ipco', box('ispe', size)));
  return Buffer.concat([
    box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1')),
    box('meta', Buffer.alloc(4), properties),
  ]);
}

/** Mono, 8 bit, 8 kHz. */
export function wav(seconds: number, paddedTo?: number): Buffer {
  const rate = paddedTo === undefined ? 8000 : Math.ceil((paddedTo - 44) / seconds);
  const samples = Math.round(seconds * rate);
  const bytes = Buffer.alloc(44 + samples, 128);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(36 + samples, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(samples, 40);
  return bytes;
}

/** Packed samples (IMA ADPCM), whose number a chunk says; the bytes per second are wrong, as some programs write them. */
export function packedWav(seconds: number): Buffer {
  const plain = wav(seconds);
  plain.writeUInt16LE(17, 20);
  const fact = Buffer.from('fact\x04\0\0\0\0\0\0\0', 'latin1');
  fact.writeUInt32LE(Math.round(seconds * 8000), 8);
  const packed = Buffer.concat([plain.subarray(0, 36), fact, plain.subarray(36, 44 + (plain.length - 44) / 2)]);
  packed.writeUInt32LE(packed.length - 8, 4);
  packed.writeUInt32LE(packed.length - 56, 52);
  return packed;
}

/** 128 kbit/s frames of 1,152 samples at 48 kHz: 24 ms each. */
export function mp3(seconds: number, tag?: Tag): Buffer {
  const frame = Buffer.alloc(384);
  frame.set([0xff, 0xfb, 0x94, 0xc4]);
  return tagged(Buffer.concat(Array.from({ length: Math.round(seconds / 0.024) }, () => frame)), tag);
}

interface Tag {
  footer?: boolean;
  /** Behind it, which it does not count. */
  zeros?: number;
}

/** Behind an ID3 tag of four bytes. */
function tagged(sound: Buffer, tag: Tag | undefined): Buffer {
  if (tag === undefined) return sound;
  const { footer = false, zeros = 0 } = tag;
  const head = Buffer.from(`ID3\x04\0${footer ? '\x10' : '\0'}\0\0\0\x04`, 'latin1');
  const foot = footer ? [Buffer.from('3DI'), head.subarray(3)] : [];
  return Buffer.concat([head, Buffer.alloc(4), ...foot, Buffer.alloc(zeros), sound]);
}

/** The same of the second layer of MPEG audio, which is no MP3. */
export function mp2(seconds: number, tag?: Tag): Buffer {
  const frame = Buffer.alloc(384);
  frame.set([0xff, 0xfd, 0x84, 0xc4]);
  return tagged(Buffer.concat(Array.from({ length: Math.round(seconds / 0.024) }, () => frame)), tag);
}

/** A clip of one packet per half second; what is inside is never decoded. */
export async function clip(seconds: number, options: { mov?: boolean; paddedTo?: number } = {}): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: options.mov === true ? new MovOutputFormat() : new Mp4OutputFormat(), target });
  const source = new EncodedVideoPacketSource('vp9');
  output.addVideoTrack(source);
  await output.start();
  const config = { codec: 'vp09.00.10.08', codedWidth: 64, codedHeight: 64 };
  const step = 0.5;
  for (let at = 0; at < seconds - 1e-9; at += step) {
    const packet = new EncodedPacket(Buffer.alloc(16), 'key', at, Math.min(step, seconds - at));
    await source.add(packet, { decoderConfig: config });
  }
  await output.finalize();
  return padded(Buffer.from(target.buffer ?? new ArrayBuffer(0)), options.paddedTo);
}

function padded(bytes: Buffer, to: number | undefined): Buffer {
  return to === undefined || to <= bytes.length ? bytes : Buffer.concat([bytes, Buffer.alloc(to - bytes.length)]);
}
