/** The bodies of synchronous requests in the OpenAPI description, by the first name of their route. */
import { decimal, described, filled, flag, list, object, oneOf, type Schema, whole } from './openapi-schema.js';

const TIER = oneOf('radical_speed', 'radical_value');
const FORMAT = oneOf('b64_json', 'url');
const ONE = { type: 'integer', const: 1 };
const SIDE = whole(1, 8192);

const CLIP = {
  model: oneOf('svc-epsilon-2.5-video', 'svc-epsilon-2.3-video'),
  prompt: filled,
  'width?': described(oneOf(1920, 1280), 'Sent with height.'),
  'height?': described(oneOf(1080, 720), 'Sent with width.'),
  'duration?': decimal(1, 8),
  'extra?': object({ 'audio?': flag }),
  'seed?': { type: 'integer' },
  'n?': ONE,
  'response_format?': FORMAT,
};

/** Schemas of the bodies; what a schema cannot say (fields that go together) the descriptions and refusals say. */
export const SYNCHRONOUS_REQUESTS: Readonly<Record<string, Schema>> = {
  'svc.image': object({
    model: oneOf(
      'svc-alpha.2-klein-4b',
      'svc-alpha.2-klein-9b',
      'svc-alpha.1-schnell',
      'svc-beta-image-2512',
      'svc-gamma-o1-image',
      'svc-delta-4',
    ),
    prompt: filled,
    'tier?': described(TIER, 'Not sent to the delta model.'),
    'width?': described(SIDE, 'Sent with height; required but for the delta model.'),
    'height?': SIDE,
    'steps?': described(whole(1, 50), 'Delta and gamma models only.'),
    'true_cfg_scale?': described(decimal(0, 20), 'Gamma model only.'),
    'prompt_expansion?': described(oneOf('off', 'standard'), 'Delta model only.'),
    'n?': ONE,
    'response_format?': FORMAT,
    'seed?': { type: 'integer' },
  }),
  'svc.edit': object({
    model: oneOf('svc-alpha.2-klein-4b-edit', 'svc-alpha.2-klein-9b-edit', 'svc-beta-image-edit-2511'),
    url: described(filled, 'Source image as a data URI or a public URL.'),
    prompt: filled,
    'tier?': TIER,
    width: SIDE,
    height: SIDE,
    'n?': ONE,
    'response_format?': FORMAT,
    'seed?': { type: 'integer' },
  }),
  'svc.clip': object(CLIP),
  'svc.animation': object({
    ...CLIP,
    'messages?': list(
      object({
        role: oneOf('user'),
        content: list(object({ type: oneOf('image_url'), image_url: object({ url: filled }) }), 1, 1),
      }),
      1,
      1,
    ),
    'image_url?': described(filled, 'Alternative to messages.'),
  }),
  'vendor-f.interaction': { type: 'object', description: 'The layout is not shown; any object is passed through.' },
};
