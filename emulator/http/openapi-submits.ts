/** The bodies of asynchronous submits in the OpenAPI description, by the first name of their route. */

import { SHARED_MODELS } from '../families/vendor-c-and-g-models.js';
import {
  described,
  either,
  filled,
  flag,
  list,
  object,
  oneOf,
  type Schema,
  text,
  url,
  whole,
} from './openapi-schema.js';

const SHOTS = {
  'multi_shot?': flag,
  'shot_type?': oneOf('customize', 'intelligence'),
  'multi_prompt?': list(object({ index: whole(1), prompt: filled, duration: secondsText(1) })),
};

/** Whole seconds as a string: 1 to 15 for a shot, 3 to 15 for a clip. */
function secondsText(from: 1 | 3): Schema {
  return { type: 'string', pattern: `^([${from}-9]|1[0-5])$` };
}

/** Content items of which the first one is the text. */
function textFirst(first: Schema, others: Schema, maxItems: number): Schema {
  return { type: 'array', prefixItems: [first], items: others, minItems: 1, maxItems };
}

const PROMPT: Schema = { type: 'string', minLength: 1, maxLength: 2500 };
const MODE = oneOf('std', 'pro', '4k');
const MULTI = { 'mode?': MODE, 'duration?': secondsText(3) };
const SOUND = oneOf('on', 'off');
const PARAMETERS_F = object({ 'resolution?': oneOf('720p', '1080p', '4k'), 'durationSeconds?': oneOf(4, 6, 8) });
const IMAGE_F = object({ bytesBase64Encoded: text, mimeType: text });

const AVATAR_COMMON = {
  'audio_url?': url,
  'script?': filled,
  'voice_id?': text,
  'resolution?': oneOf('720p', '1080p', '4k'),
  'aspect_ratio?': oneOf('auto', '16:9', '9:16', '4:5', '5:4', '1:1'),
};

const ITEM_E = {
  'role?': oneOf('first_frame', 'last_frame', 'reference_image', 'reference_video', 'reference_audio'),
};

/** As for the synchronous requests, fields that go together are described in words. */
export const SUBMIT_REQUESTS: Readonly<Record<string, Schema>> = {
  'vendor-b.submit': either(
    object({
      type: oneOf('image'),
      image: either(
        object({ type: oneOf('url'), url }),
        object({ type: oneOf('base64'), media_type: text, data: text }),
      ),
      ...AVATAR_COMMON,
    }),
    object({ type: oneOf('avatar'), avatar_id: filled, engine: object({ type: oneOf('avatar_v') }), ...AVATAR_COMMON }),
  ),
  'vendor-a.text2video.submit': object({
    'model_name?': oneOf('vendor-a-v3'),
    'prompt?': PROMPT,
    'negative_prompt?': { ...PROMPT, minLength: 0 },
    ...MULTI,
    'sound?': SOUND,
    'aspect_ratio?': oneOf('16:9', '9:16', '1:1'),
    'callback_url?': url,
    ...SHOTS,
  }),
  'vendor-a.image2video.submit': object({
    'model_name?': oneOf('vendor-a-v3'),
    image: filled,
    'prompt?': { ...PROMPT, minLength: 0 },
    'negative_prompt?': { ...PROMPT, minLength: 0 },
    ...MULTI,
    'sound?': SOUND,
    'callback_url?': url,
  }),
  'vendor-a.omni-video.submit': object({
    'model_name?': oneOf('vendor-a-v3-omni'),
    'prompt?': { ...PROMPT, minLength: 0 },
    ...MULTI,
    'image_list?': list(object({ image_url: filled, 'type?': oneOf('first_frame', 'end_frame') }), 0, 7),
    'video_list?': list(object({ video_url: url }), 0, 7),
    'element_list?': list({ type: 'object' }, 0, 7),
    ...SHOTS,
  }),
  'vendor-a.motion-control.submit': object({
    'model_name?': oneOf('vendor-a-v3'),
    'mode?': oneOf('std', 'pro'),
    image_url: filled,
    video_url: url,
    character_orientation: oneOf('image', 'video'),
    input_video_seconds: whole(1, 10),
  }),
  'shared.submit': object({
    model: oneOf(...SHARED_MODELS.map((model) => model.id)),
    input: object({
      prompt: filled,
      'media?': list(
        object({ type: oneOf('first_frame', 'last_frame', 'driving_audio', 'reference_image'), url }),
        0,
        10,
      ),
    }),
    'parameters?': object({
      'resolution?': oneOf('480P', '720P', '1080P'),
      'duration?': whole(2, 30),
      'watermark?': flag,
    }),
  }),
  'vendor-d.submit': object({
    model: oneOf('vendor-d-2-5-260628'),
    content: textFirst(
      object({ type: oneOf('text'), text: filled }),
      object({ type: oneOf('image_url'), role: oneOf('first_frame'), image_url: object({ url }) }),
      2,
    ),
    'resolution?': oneOf('480p', '720p'),
    'generate_audio?': flag,
  }),
  'vendor-e.submit': object({
    model: oneOf('Vendor-E-H3'),
    content: textFirst(
      object({ type: oneOf('text'), text: { ...filled, maxLength: 7000 } }),
      either(
        object({ type: oneOf('image_url'), ...ITEM_E, image_url: object({ url: filled }) }),
        object({ type: oneOf('video_url'), ...ITEM_E, video_url: object({ url: filled }) }),
        object({ type: oneOf('audio_url'), ...ITEM_E, audio_url: object({ url: filled }) }),
      ),
      13,
    ),
    'resolution?': oneOf('768P', '2K'),
    duration: whole(4, 15),
    'ratio?': described(text, 'Required on a text-only body: 21:9, 16:9, 4:3, 1:1, 3:4, 9:16.'),
  }),
  'vendor-f.submit': object({
    instances: list(object({ prompt: filled, 'image?': IMAGE_F }), 1, 1),
    'parameters?': PARAMETERS_F,
  }),
};
