/** Parts of vendor-a bodies: images and clips, looked at when the job runs, and the shots of a storyboard (service document 2). */
import { decodeBase64, isWebUrl } from '../media/input-media.js';
import { clipFacts, imageFacts } from '../media/media-facts.js';
import type { UrlToInspect } from '../media/media-limits.js';
import { invalid } from '../model/errors.js';
import type { Fields } from './checks.js';

/** Provider code for an image that carries a `data:` prefix. */
const CODE_DATA_PREFIX = 1201;

/** Thrown for a provider error: the answer is 200 with a `code` that is not zero. */
export class ProviderError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'ProviderError';
  }
}

/** One image or clip of a request. */
export interface BroughtMedia {
  /** Present when it came by URL: it is looked at when the job runs. */
  inspect?: UrlToInspect;
  /** Width over height: at once where the bytes are inline, else once the job has looked. */
  ratio?: number;
  /** Seconds, once the job has looked. */
  seconds?: number;
}

/** An image as a URL or as raw base64; the prefixed form is provider error 1201. */
export function readImage(name: string, text: string): BroughtMedia {
  if (/^data:/i.test(text)) {
    throw new ProviderError(CODE_DATA_PREFIX, `${name} must be raw base64 without the data: prefix`);
  }
  if (isWebUrl(text)) {
    const media: BroughtMedia = {};
    media.inspect = {
      url: text,
      problem: (bytes) => {
        const facts = imageFacts(bytes);
        if (facts === undefined) return 'is not an image';
        media.ratio = facts.width / facts.height;
        return undefined;
      },
    };
    return media;
  }
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw invalid(`'${name}' must be a public URL or raw base64.`);
  const facts = imageFacts(bytes);
  if (facts === undefined) throw invalid(`'${name}' is not an image.`);
  return { ratio: facts.width / facts.height };
}

// A clip of 10 s may be a frame or two longer in its container.
const SECONDS_SLACK = 0.1;

/** A clip by public URL, of at most so many seconds. */
export function readClip(name: string, text: string, secondsMax = Number.POSITIVE_INFINITY): BroughtMedia {
  if (!isWebUrl(text)) throw invalid(`'${name}' must be a public URL.`);
  const media: BroughtMedia = {};
  media.inspect = {
    url: text,
    problem: async (bytes) => {
      const facts = await clipFacts(bytes);
      if (facts?.width === undefined) return 'is not a video';
      if (facts.seconds > secondsMax + SECONDS_SLACK) {
        return `lasts ${facts.seconds.toFixed(2)} s, more than ${secondsMax} s`;
      }
      media.seconds = Math.min(facts.seconds, secondsMax);
      return undefined;
    },
  };
  return media;
}

interface StoryboardLimits {
  /** Seconds of one shot, at most. */
  shotSecondsMax: number;
  totalSecondsMax: number;
  shotsMax?: number;
}

/**
 * The sum of the shots' seconds, or undefined where the body is no storyboard. Every rule is checked before billing; in
 * storyboard mode the top-level prompt and duration are ignored, whatever they hold.
 */
export function storyboardSeconds(body: Fields, limits: StoryboardLimits): number | undefined {
  if (body.boolean('multi_shot') !== true) return undefined;
  body.needOneOf('shot_type', ['customize', 'intelligence']);
  const shots = body.objects('multi_prompt') ?? [];
  if (shots.length === 0) throw invalid("'multi_prompt' must hold at least one shot.");
  if (limits.shotsMax !== undefined && shots.length > limits.shotsMax) {
    throw invalid(`'multi_prompt' holds ${shots.length} shots; at most ${limits.shotsMax} are allowed.`);
  }
  const total = shots.reduce((sum, shot, position) => sum + shotSeconds(shot, position, limits.shotSecondsMax), 0);
  if (total > limits.totalSecondsMax) {
    throw invalid(`The shots last ${total} seconds; at most ${limits.totalSecondsMax} are allowed.`);
  }
  return total;
}

function shotSeconds(shot: Fields, position: number, max: number): number {
  const index = shot.integer('index');
  if (index !== position + 1) throw invalid(`'${shot.path('index')}' must be ${position + 1}: sequential from 1.`);
  shot.needString('prompt');
  return secondsText(shot, 'duration', 1, max);
}

/** Whole seconds that the documents want as a string. */
export function secondsText(fields: Fields, name: string, min: number, max: number): number {
  const text = fields.needString(name);
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds >= min && seconds <= max)) {
    throw invalid(`'${fields.path(name)}' must be whole seconds as a string, ${min} to ${max}; got '${text}'.`);
  }
  return seconds;
}
