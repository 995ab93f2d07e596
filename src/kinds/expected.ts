import { providerOf } from '../domain/kind.js';
import type { OutputFile } from '../domain/outcome.js';
import type { Row } from '../domain/row.js';
import { type AskedOutput, HOUR_MS } from './fact.js';
import { answerMaxMs, factsOf, filledCells } from './facts.js';

/** What a row's output will be like, and how long its render can take, as far as kind and cells tell. Pure. */

/** What a row asked its output to be, as far as the documents name it. Empty where the documents leave size and length to the model. */
export function askedOutput({ kind, cells }: Pick<Row, 'kind' | 'cells'>): AskedOutput {
  return factsOf(kind).asked?.(filledCells({ kind, cells }), cells) ?? {};
}

/** One sentence for each disagreement; a clip that is longer, or shorter by less than half, is none. */
export function disagreements(asked: AskedOutput, { width, height, durationSeconds }: Partial<OutputFile>): string[] {
  const found: string[] = [];
  if (asked.width !== undefined && asked.height !== undefined && width !== undefined && height !== undefined) {
    if (width !== asked.width || height !== asked.height) {
      found.push(`the output is ${width}x${height}, asked for ${asked.width}x${asked.height}`);
    }
  }
  if (asked.seconds !== undefined && durationSeconds !== undefined && durationSeconds < asked.seconds / 2) {
    const seconds = Math.round(durationSeconds * 100) / 100;
    found.push(`the clip is ${seconds} s long, less than half of the ${asked.seconds} s asked for`);
  }
  return found;
}

const BYTES_PER_PIXEL = 1;
/** A clip of 1920x1080, about 5 Mbit/s. */
const CLIP_BYTES_PER_SECOND = 600_000;
const CLIP_PIXELS = 1920 * 1080;
/** Where the request does not name the length or the size. */
const USUAL = { width: 1920, height: 1080, seconds: 8 } as const;

/** Roughly the bytes of an output, on the small side: a disk without that much room is too full for certain. */
export function outputBytes(row: Pick<Row, 'kind' | 'cells'>): number {
  const { output } = factsOf(row.kind);
  if (output === 'any') return 0;
  const { width = USUAL.width, height = USUAL.height, seconds = USUAL.seconds } = askedOutput(row);
  if (output === 'image') return width * height * BYTES_PER_PIXEL;
  return Math.round(seconds * CLIP_BYTES_PER_SECOND * ((width * height) / CLIP_PIXELS));
}

/** What is spoken for about as long, within half as much again, renders alike. */
const SPEECH_STEP = 1.5;

/** About how long the output will be, s; null where neither the row nor its speech says it. */
export function outputLength(row: Pick<Row, 'kind' | 'cells' | 'media'>): number | null {
  const facts = factsOf(row.kind);
  const spoken = facts.flow === 'async' ? facts.speechSeconds?.(row) : undefined;
  if (spoken === undefined) return askedOutput(row).seconds ?? null;
  return Math.round(SPEECH_STEP ** Math.round(Math.log(Math.max(1, spoken)) / Math.log(SPEECH_STEP)));
}

/** How long a submitted row can still be at work in the service. What the documents do not show is an assumption. */
export interface LongestRender {
  /** Service time from the submit on, unscaled. */
  ms: number;
  /** False where the length of the output is not known, so that `ms` is only how long its slot is held. */
  isLengthKnown: boolean;
}

export interface RenderWaits {
  /** By provider, with a `default`. */
  renderMaxMs: Readonly<Record<string, number>>;
  /** Of a synchronous call without a documented end: images, edits and interactions. */
  syncMaxMs: number;
}

/** "Avatar render time scales with clip length": this much for each second of speech. */
const MS_PER_SPOKEN_SECOND = 20_000;
const SPEECH_OF_UNKNOWN_LENGTH_MS = 6 * HOUR_MS;

/** The longest render of a row by its kind and, where it speaks, by the length of its speech. Pure. */
export function longestRenderMs(row: Pick<Row, 'kind' | 'cells' | 'media'>, waits: RenderWaits): LongestRender {
  const { kind } = row;
  const facts = factsOf(kind);
  if (facts.flow === 'sync') return { ms: answerMaxMs(kind, waits), isLengthKnown: true };
  const { renderMaxMs } = waits;
  const ms = renderMaxMs[providerOf(kind)] ?? renderMaxMs.default ?? HOUR_MS;
  if (facts.speechSeconds === undefined) return { ms, isLengthKnown: true };
  const seconds = facts.speechSeconds(row);
  return seconds === undefined
    ? { ms: Math.max(ms, SPEECH_OF_UNKNOWN_LENGTH_MS), isLengthKnown: false }
    : { ms: Math.max(ms, Math.ceil(seconds * MS_PER_SPOKEN_SECOND)), isLengthKnown: true };
}

/** Beyond the longest render: the submit itself, and clocks that differ. */
const READ_MARGIN_S = 3_600;
/** No signature lasts longer. */
const SIGNED_S_MAX = 604_800;

/** How long the service may have to read an input of the row: until the longest render has ended. */
export function reachableSeconds(row: Pick<Row, 'kind' | 'cells' | 'media'>, waits: RenderWaits): number {
  return secondsToRead(longestRenderMs(row, waits).ms);
}

/** The same for a render of any row that lasts so long. */
export function secondsToRead(renderMs: number): number {
  return Math.min(SIGNED_S_MAX, Math.ceil(renderMs / 1_000) + READ_MARGIN_S);
}
