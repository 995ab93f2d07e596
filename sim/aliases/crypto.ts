import { sim } from '../engine/current.js';

/** `node:crypto` with the seed's chance, so that a seed repeats to the byte. */
export { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export function randomBytes(size: number): Buffer {
  const { random } = sim();
  return Buffer.from(Array.from({ length: size }, () => random.int(0, 255)));
}

export function randomUUID(): string {
  return randomBytes(16).toString('hex');
}
