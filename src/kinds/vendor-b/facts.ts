import type { Row } from '../../domain/row.js';
import { type AskedOutput, about, DAY_MS, type KindFacts, knownSeconds } from '../fact.js';

/** The canvases at 16:9, the default (service document 2, "Avatar video: POST body"). */
const CANVAS: Record<string, [number, number]> = {
  '720p': [1280, 720],
  '1080p': [1920, 1080],
  '4k': [3840, 2160],
};
const RESOLUTION = '1080p';

/** The slowest speech. */
const SCRIPT_CHARACTERS_PER_SECOND = 5;
/** The thinnest audio that is still understood, 8 kbit/s. */
const AUDIO_BYTES_PER_SECOND = 1_000;

export const avatarFacts: KindFacts = {
  output: 'video',
  // The URL "expires within hours" and no life of the handle is shown: a day is an assumption.
  outputLifeMs: DAY_MS,
  usualUnit: 'second',
  model: '',
  isBilledByOutput: true,
  // "Both have the same price"; the resolution "does not change price" (service document 2, Avatar video).
  priceIgnores: ['model', 'resolution'],
  priced: ({ model, resolution }, { media }) => ({
    model: model ?? (media.image === undefined ? 'avatar_v' : 'avatar_iv'),
    resolution: resolution ?? RESOLUTION,
  }),
  asked: canvasOf,
  billed: ({ media }) => ({ second: about(knownSeconds(media.audio?.[0])) }),
  speechSeconds: ({ cells, media }) => {
    if (typeof cells.script === 'string') return [...cells.script].length / SCRIPT_CHARACTERS_PER_SECOND;
    const [audio] = media.audio ?? [];
    if (audio?.source !== 'blob') return undefined;
    return audio.seconds ?? audio.bytes / AUDIO_BYTES_PER_SECOND;
  },
};

function canvasOf({ resolution, aspect_ratio: ratio }: Row['cells']): AskedOutput {
  if (ratio !== undefined && ratio !== '16:9') return {};
  const canvas = CANVAS[typeof resolution === 'string' ? resolution : RESOLUTION];
  return canvas === undefined ? {} : { width: canvas[0], height: canvas[1] };
}
