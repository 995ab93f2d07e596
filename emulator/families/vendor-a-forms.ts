/** The bodies of vendor-a's four capabilities, read and checked (service document 2, "Multi-mode video"). */

import { isWebUrl } from '../media/input-media.js';
import type { Assumptions, Range } from '../model/assumptions.js';
import { invalid } from '../model/errors.js';
import { micro, type Quantities } from '../model/prices.js';
import { createRandom } from '../model/random.js';
import { checkLength, type Fields } from './checks.js';
import { type BroughtMedia, readClip, readImage, secondsText, storyboardSeconds } from './vendor-a-parts.js';

export const CAPABILITIES = ['text2video', 'image2video', 'omni-video', 'motion-control'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Pixels of the short side, by mode. */
export const SHORT_SIDES = { std: 720, pro: 1080, '4k': 2160 } as const;
const PROMPT_MAX = 2500;
const SECONDS = { min: 3, max: 15, default: 5 };
const REFERENCES_MAX = 7;
const RATIOS = { '16:9': 16 / 9, '9:16': 9 / 16, '1:1': 1 } as const;
const WIDE = RATIOS['16:9'];
const T2V_STORYBOARD = { shotSecondsMax: 15, totalSecondsMax: 15, shotsMax: 6 };
const OMNI_STORYBOARD = { shotSecondsMax: 10, totalSecondsMax: 30 };
const STORYBOARD_FIELDS = ['multi_shot', 'shot_type', 'multi_prompt'];

/** What a capability reads from a body. */
export interface CapabilityForm {
  model: string;
  mode: keyof typeof SHORT_SIDES;
  /** Seconds of the clip; asked for when the clip is made, because motion control follows its driver. */
  seconds: () => number;
  /** Width over height; asked for when the clip is made, because a clip follows its image. */
  ratio: () => number;
  quantities: Quantities;
  sound: 'on' | 'off';
  media: BroughtMedia[];
  owedLater?: () => Quantities | undefined;
}

/** One reader per capability; each checks every rule of its body. */
export const READERS: Readonly<Record<Capability, (body: Fields, assumptions: Assumptions) => CapabilityForm>> = {
  text2video: readText,
  image2video: readImageToVideo,
  'omni-video': readOmni,
  'motion-control': readMotion,
};

function readText(body: Fields): CapabilityForm {
  const common = readCommon(body, 'vendor-a-v3', ['std', 'pro', '4k']);
  checkLength('negative_prompt', body.string('negative_prompt'), PROMPT_MAX);
  const ratio = RATIOS[body.oneOf('aspect_ratio', ['16:9', '9:16', '1:1']) ?? '16:9'];
  const storyboard = storyboardSeconds(body, T2V_STORYBOARD);
  if (storyboard === undefined) checkLength('prompt', body.needString('prompt'), PROMPT_MAX);
  const seconds = storyboard ?? readSeconds(body);
  return { ...common, seconds: () => seconds, ratio: () => ratio, quantities: perSecond(seconds), media: [] };
}

function readImageToVideo(body: Fields): CapabilityForm {
  const common = readCommon(body, 'vendor-a-v3', ['std', 'pro', '4k']);
  body.refuse(STORYBOARD_FIELDS, 'is taken by text-to-video and omni video only.');
  body.refuse(['aspect_ratio'], 'is taken by text-to-video only.');
  checkLength('negative_prompt', body.string('negative_prompt'), PROMPT_MAX);
  checkLength('prompt', body.string('prompt'), PROMPT_MAX);
  const seconds = readSeconds(body);
  const image = readImage('image', body.needString('image'));
  const ratio = (): number => image.ratio ?? WIDE;
  return { ...common, seconds: () => seconds, ratio, quantities: perSecond(seconds), media: [image] };
}

function readOmni(body: Fields): CapabilityForm {
  const common = readCommon(body, 'vendor-a-v3-omni', ['std', 'pro', '4k']);
  body.refuse(['negative_prompt'], 'is taken by text-to-video and image-to-video only.');
  body.refuse(['sound'], 'is taken by text-to-video and image-to-video with vendor-a-v3 only.');
  const storyboard = storyboardSeconds(body, OMNI_STORYBOARD);
  if (storyboard === undefined) checkLength('prompt', body.string('prompt'), PROMPT_MAX);
  const seconds = storyboard ?? readSeconds(body);
  const images = body.objects('image_list') ?? [];
  const videos = body.objects('video_list') ?? [];
  const elements = body.objects('element_list') ?? [];
  const count = images.length + videos.length + elements.length;
  if (count === 0) throw invalid("At least one of 'image_list', 'video_list' and 'element_list' must be non-empty.");
  if (count > REFERENCES_MAX) throw invalid(`Up to ${REFERENCES_MAX} reference inputs are allowed, got ${count}.`);
  const media = [
    ...images.map((item) => {
      item.oneOf('type', ['first_frame', 'end_frame']);
      return readImage(item.path('image_url'), item.needString('image_url'));
    }),
    ...videos.map((item) => readClip(item.path('video_url'), item.needString('video_url'))),
  ];
  const ratio = (): number => media.find((one) => one.ratio !== undefined)?.ratio ?? WIDE;
  return { ...common, seconds: () => seconds, ratio, quantities: perSecond(seconds), media };
}

/** "still image in `image_url`, cap 10 s" and "video in `image_url`, cap 30 s": a longer driver cannot be rendered. */
const DRIVER_SECONDS_MAX = { image: 10, video: 30 } as const;

function readMotion(body: Fields, { unseenDriverSeconds }: Assumptions): CapabilityForm {
  const common = readCommon(body, 'vendor-a-v3', ['std', 'pro']);
  body.refuse(['prompt', 'duration'], 'is not sent on motion control.');
  body.refuse(['negative_prompt', 'sound'], 'is taken by text-to-video and image-to-video only.');
  body.refuse([...STORYBOARD_FIELDS, 'aspect_ratio'], 'is not taken by motion control.');
  const orientation = body.needOneOf('character_orientation', ['image', 'video']);
  const declared = body.integer('input_video_seconds', 1, 10);
  if (declared === undefined) throw invalid("'input_video_seconds' is required.");
  const text = body.needString('image_url');
  const character = orientation === 'image' ? readImage('image_url', text) : readCharacterClip(text);
  const cap = DRIVER_SECONDS_MAX[orientation];
  const driver = readClip('video_url', body.needString('video_url'), cap);
  // "motion control follows the reference video"; how long one is that cannot be seen from here is an assumption.
  const unseen = unseenDriverSeconds === 'declared' ? declared : unseenSeconds(body.raw.video_url, unseenDriverSeconds);
  const seconds = (): number => driver.seconds ?? Math.min(unseen, cap);
  const owedLater = (): Quantities | undefined => {
    // The driver clip is longer than declared: the difference is charged after completion.
    const missing = seconds() - declared;
    return missing > 0 ? { 'input-second': micro(missing) } : undefined;
  };
  const quantities = { 'input-second': micro(declared), request: micro(1) };
  const ratio = (): number => character.ratio ?? WIDE;
  return { ...common, seconds, ratio, quantities, media: [character, driver], owedLater };
}

function unseenSeconds(url: unknown, range: Range): number {
  return createRandom(0, String(url)).between(...range);
}

/** With orientation `video` the character comes as a video; raw base64 of one is taken as it is. */
function readCharacterClip(text: string): BroughtMedia {
  return isWebUrl(text) ? readClip('image_url', text) : {};
}

function readCommon(
  body: Fields,
  model: string,
  modes: readonly (keyof typeof SHORT_SIDES)[],
): Pick<CapabilityForm, 'model' | 'mode' | 'sound'> {
  const name = body.oneOf('model_name', [model]) ?? model;
  const mode = body.oneOf('mode', modes) ?? 'std';
  return { model: name, mode, sound: body.oneOf('sound', ['on', 'off']) ?? 'off' };
}

function readSeconds(body: Fields): number {
  return body.has('duration') ? secondsText(body, 'duration', SECONDS.min, SECONDS.max) : SECONDS.default;
}

function perSecond(seconds: number): Quantities {
  return { request: micro(1), second: micro(seconds) };
}
