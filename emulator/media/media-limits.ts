/** Checks brought-along images, clips and sounds against the limits of a family. */

import type { JobFailure } from '../model/job.js';
import { fetchMedia } from './input-media.js';
import { clipFacts, type ImageFacts, type ImageFormat, imageFacts } from './media-facts.js';

/** The larger reading of a megabyte, in which limits are written; which one holds is an assumption. */
export const MEGABYTE = 1024 * 1024;

export interface ImageLimits {
  formats: readonly ImageFormat[];
  bytesMax: number;
  /** Pixels of each side. */
  sideMin: number;
  sideMax?: number;
  /** Width over height. */
  ratioMin: number;
  ratioMax: number;
  refusesAlpha?: boolean;
}

export interface ClipLimits {
  formats: readonly ('mp4' | 'mov' | 'wav' | 'mp3')[];
  bytesMax: number;
  secondsMin: number;
  secondsMax: number;
}

// A clip of 15 s may be a frame or two longer in its container.
const SECONDS_SLACK = 0.1;

/** Why the bytes are refused, as the end of a sentence that begins with the file; undefined where they are accepted. */
export function imageProblem(bytes: Buffer, limits: ImageLimits, megabyteBytes: number): string | undefined {
  if (isOver(bytes, limits, megabyteBytes)) return `is larger than ${Math.round(limits.bytesMax / MEGABYTE)} MB`;
  const facts = imageFacts(bytes);
  if (facts === undefined) return 'cannot be decoded as an image';
  if (!limits.formats.includes(facts.format)) return `is ${facts.format}, not one of ${limits.formats.join(', ')}`;
  return shapeProblem(facts, limits);
}

function isOver(bytes: Buffer, limits: { bytesMax: number }, megabyteBytes: number): boolean {
  return bytes.length > limits.bytesMax * (megabyteBytes / MEGABYTE);
}

/** Width over height of an image that was accepted. */
export function imageRatio(bytes: Buffer): number | undefined {
  const facts = imageFacts(bytes);
  return facts === undefined ? undefined : facts.width / facts.height;
}

function shapeProblem(facts: ImageFacts, limits: ImageLimits): string | undefined {
  const { width, height } = facts;
  if (Math.min(width, height) < limits.sideMin)
    return `is ${width}x${height}; each side needs ${limits.sideMin} pixels`;
  if (limits.sideMax !== undefined && Math.max(width, height) > limits.sideMax) {
    return `is ${width}x${height}; a side has at most ${limits.sideMax} pixels`;
  }
  const ratio = width / height;
  if (ratio < limits.ratioMin || ratio > limits.ratioMax) return `is ${width}x${height}: its shape is too extreme`;
  return limits.refusesAlpha === true && facts.hasAlpha ? 'has a transparent channel' : undefined;
}

/** As imageProblem, for a clip or a sound. */
export async function clipProblem(
  bytes: Buffer,
  limits: ClipLimits,
  megabyteBytes: number,
): Promise<string | undefined> {
  if (isOver(bytes, limits, megabyteBytes)) return `is larger than ${Math.round(limits.bytesMax / MEGABYTE)} MB`;
  const facts = await clipFacts(bytes);
  if (facts === undefined) return 'cannot be read';
  if (!limits.formats.some((format) => format === facts.format)) {
    return `is ${facts.format}, not one of ${limits.formats.join(', ')}`;
  }
  const isInTime =
    facts.seconds >= limits.secondsMin - SECONDS_SLACK && facts.seconds <= limits.secondsMax + SECONDS_SLACK;
  if (isInTime) return undefined;
  return `lasts ${facts.seconds.toFixed(2)} s, not ${limits.secondsMin} to ${limits.secondsMax} s`;
}

/** A file by URL that a job looks at while it runs. */
export interface UrlToInspect {
  url: string;
  /** Why the bytes are refused, as the end of a sentence. */
  problem: (bytes: Buffer) => string | undefined | Promise<string | undefined>;
}

const FETCH_BYTES_MAX = 128 * MEGABYTE;

/** Fetches each file (loopback hosts alone are really fetched) and returns the first failure. */
export async function inspectUrls(urls: readonly UrlToInspect[]): Promise<JobFailure | undefined> {
  for (const { url, problem } of urls) {
    const fetched = await fetchMedia(url, FETCH_BYTES_MAX);
    const reason =
      fetched.kind === 'failed' ? fetched.reason : fetched.kind === 'loaded' ? await problem(fetched.bytes) : undefined;
    if (reason !== undefined) return { message: `The file ${url} ${reason}.`, code: 'InvalidParameter' };
  }
  return undefined;
}
