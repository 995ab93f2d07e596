import { isAsync, type Kind, providerOf } from '../domain/kind.js';
import type { Row } from '../domain/row.js';
import { factsOf } from './facts.js';

/** How long a submitted row can still be at work in the service. What the documents do not show is an assumption. */

export interface LongestRender {
  /** Service time from the submit on, unscaled. */
  ms: number;
  /** False where the length of the output is not known, so that `ms` is only how long its slot is held. */
  isLengthKnown: boolean;
}

interface RenderWaits {
  /** By provider, with a `default`. */
  renderMaxMs: Readonly<Record<string, number>>;
  /** Of a synchronous call without a documented end. */
  syncMaxMs: number;
}

const RENDER_MS = 3_600_000;

/** "Avatar render time scales with clip length": this much for each second of speech. */
const MS_PER_SPOKEN_SECOND = 20_000;
const SPEECH_OF_UNKNOWN_LENGTH_MS = 6 * 3_600_000;

/** The longest render of a row by its kind and, where it speaks, by the length of its speech. Pure. */
export function longestRenderMs(row: Pick<Row, 'kind' | 'cells' | 'media'>, waits: RenderWaits): LongestRender {
  const { kind } = row;
  if (!isAsync(kind)) return { ms: callMaxMs(kind, waits), isLengthKnown: true };
  const { renderMaxMs } = waits;
  const ms = renderMaxMs[providerOf(kind)] ?? renderMaxMs.default ?? RENDER_MS;
  const { speechSeconds } = factsOf(kind);
  if (speechSeconds === undefined) return { ms, isLengthKnown: true };
  const seconds = speechSeconds(row);
  return seconds === undefined
    ? { ms: Math.max(ms, SPEECH_OF_UNKNOWN_LENGTH_MS), isLengthKnown: false }
    : { ms: Math.max(ms, Math.ceil(seconds * MS_PER_SPOKEN_SECOND)), isLengthKnown: true };
}

/** How long a synchronous call may run at the service: for images, edits and interactions no end is shown. */
export function callMaxMs(kind: Kind, { syncMaxMs }: Pick<RenderWaits, 'syncMaxMs'>): number {
  return factsOf(kind).callMaxMs ?? syncMaxMs;
}
