/** Images and clips that vendor-a requests bring along: raw base64 or URLs, looked at when the job runs. */

import { decodeBase64, isWebUrl } from '../media/input-media.js';
import { clipFacts, imageFacts } from '../media/media-facts.js';
import type { UrlToInspect } from '../media/media-limits.js';
import { invalid } from '../model/errors.js';

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
