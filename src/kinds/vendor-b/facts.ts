import type { Row } from '../../domain/row.js';
import { type AskedOutput, about, type Cells, DAY_MS, type FamilyFacts, HOUR_MS, knownSeconds } from '../fact.js';

/** The canvases at 16:9, the default (service document 2, "Avatar video: POST body"). */
const CANVAS: Record<string, [number, number]> = {
  '720p': [1280, 720],
  '1080p': [1920, 1080],
  '4k': [3840, 2160],
};
const RATIO = '16:9';

/** The slowest speech. */
const SCRIPT_CHARACTERS_PER_SECOND = 5;
/** The thinnest audio that is still understood, 8 kbit/s. */
const AUDIO_BYTES_PER_SECOND = 1_000;

export const vendorBFacts: FamilyFacts = {
  'vendor-b/avatar': {
    flow: 'async',
    entrypoint: 'vendor-b',
    charge: 'at-completion',
    output: 'video',
    pollBaseMs: 10_000,
    // The URL "expires within hours" and no life of the handle is shown: a day is an assumption.
    handleLifeMs: null,
    outputLifeMs: DAY_MS,
    urlLifeMs: HOUR_MS,
    freshUrlOnPoll: false,
    usualUnit: 'second',
    countedAtEnd: true,
    fallbacks: { resolution: '1080p', aspect_ratio: RATIO },
    isBilledByOutput: true,
    // "Both have the same price"; the resolution "does not change price" (service document 2, Avatar video).
    priceIgnores: ['model', 'resolution'],
    priced: ({ model }, { cells }) => ({ model: model ?? engineOf(cells) }),
    selects: engineOf,
    asked: canvasOf,
    billed: ({ media }) => ({ second: about(knownSeconds(media.audio?.[0])) }),
    speechSeconds: ({ cells, media }) => {
      if (typeof cells.script === 'string') return [...cells.script].length / SCRIPT_CHARACTERS_PER_SECOND;
      const [audio] = media.audio ?? [];
      if (audio?.source !== 'blob') return undefined;
      return audio.seconds ?? audio.bytes / AUDIO_BYTES_PER_SECOND;
    },
  },
};

/** "The endpoint takes no `model` field; the body selects the engine" (service document 2, Avatar video). */
function engineOf({ avatar_id: avatar }: Row['cells']): string {
  return avatar === undefined ? 'avatar_iv' : 'avatar_v';
}

function canvasOf({ resolution, aspect_ratio: ratio }: Cells): AskedOutput {
  const canvas = ratio === RATIO ? CANVAS[String(resolution)] : undefined;
  return canvas === undefined ? {} : { width: canvas[0], height: canvas[1] };
}
