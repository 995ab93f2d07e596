import type { Row } from '../domain/row.js';
import { askedOutput } from './asked-output.js';
import { factsOf } from './facts.js';

/** How large an output will roughly be, for the check of free room before anything is paid. Pure. */

const BYTES_PER_PIXEL = 1;
/** A clip of 1920x1080, about 5 Mbit/s. */
const CLIP_BYTES_PER_SECOND = 600_000;
const CLIP_PIXELS = 1920 * 1080;
/** Where the request does not name the length or the size. */
const USUAL = { width: 1920, height: 1080, seconds: 8 } as const;

/** Bytes, on the small side: a disk without that much room is too full for certain. */
export function outputBytes(row: Pick<Row, 'kind' | 'cells'>): number {
  const { output } = factsOf(row.kind);
  if (output === 'any') return 0;
  const { width = USUAL.width, height = USUAL.height, seconds = USUAL.seconds } = askedOutput(row);
  if (output === 'image') return width * height * BYTES_PER_PIXEL;
  return Math.round(seconds * CLIP_BYTES_PER_SECOND * ((width * height) / CLIP_PIXELS));
}
