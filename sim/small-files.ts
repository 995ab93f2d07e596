import { createHash } from 'node:crypto';
import type { OutputSpec } from '../emulator/media/outputs.js';

/** A small file that is whole as its kind's container, has the size that it says, and is unlike any other spec's. */
export function smallFile(spec: OutputSpec): Buffer {
  const own = createHash('sha256').update(JSON.stringify(spec)).digest();
  return spec.type === 'png' ? png(spec, own) : mp4(own);
}

function png({ width, height }: { width: number; height: number }, own: Buffer): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    return Buffer.concat([head, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', own), chunk('IEND', Buffer.alloc(0))]);
}

function mp4(own: Buffer): Buffer {
  const box = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length + 8);
    return Buffer.concat([head, Buffer.from(type), data]);
  };
  return Buffer.concat([box('ftyp', Buffer.from('isom0000')), box('moov', own), box('mdat', own)]);
}
