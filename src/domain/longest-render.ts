import { isAsync, type Kind, providerOf } from './kind.js';
import type { Row } from './row.js';

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

/** The service ends a clip after 120 s (service document 1, Errors, 504); its answer needs time to arrive. */
const CLIP_MS = 150_000;
const RENDER_MS = 3_600_000;

/** "Avatar render time scales with clip length": this much for each second of speech. */
const AVATAR_MS_PER_SECOND = 20_000;
const AVATAR_OF_UNKNOWN_LENGTH_MS = 6 * 3_600_000;
/** The slowest speech. */
const SCRIPT_CHARACTERS_PER_SECOND = 5;
/** The thinnest audio that is still understood, 8 kbit/s. */
const AUDIO_BYTES_PER_SECOND = 1_000;

/** The longest render of a row by its kind and, for avatars, by the length of its speech. Pure. */
export function longestRenderMs(row: Pick<Row, 'kind' | 'cells' | 'media'>, waits: RenderWaits): LongestRender {
  const { kind } = row;
  if (!isAsync(kind)) return { ms: callMaxMs(kind, waits), isLengthKnown: true };
  const { renderMaxMs } = waits;
  const ms = renderMaxMs[providerOf(kind)] ?? renderMaxMs.default ?? RENDER_MS;
  if (kind !== 'vendor-b/avatar') return { ms, isLengthKnown: true };
  const seconds = speechSeconds(row);
  return seconds === undefined
    ? { ms: Math.max(ms, AVATAR_OF_UNKNOWN_LENGTH_MS), isLengthKnown: false }
    : { ms: Math.max(ms, Math.ceil(seconds * AVATAR_MS_PER_SECOND)), isLengthKnown: true };
}

/** How long a synchronous call may run at the service: for images, edits and interactions no end is shown. */
export function callMaxMs(kind: Kind, { syncMaxMs }: Pick<RenderWaits, 'syncMaxMs'>): number {
  return kind === 'svc/clip' || kind === 'svc/animation' ? CLIP_MS : syncMaxMs;
}

/** At most; undefined for audio that only the service reads. */
function speechSeconds({ cells, media }: Pick<Row, 'cells' | 'media'>): number | undefined {
  if (typeof cells.script === 'string') return [...cells.script].length / SCRIPT_CHARACTERS_PER_SECOND;
  const [audio] = media.audio ?? [];
  if (audio?.source !== 'blob') return undefined;
  return audio.seconds ?? audio.bytes / AUDIO_BYTES_PER_SECOND;
}
