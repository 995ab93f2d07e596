/** The answer bodies of the OpenAPI description, by the first name of their route, and the forms of an error. */
import {
  decimal,
  described,
  either,
  flag,
  list,
  object,
  oneOf,
  type Schema,
  text,
  url,
  whole,
} from './openapi-schema.js';

const FILE: Record<string, Schema> = { 'url?': url, 'b64_json?': text };

const IMAGES = object({
  created: { type: 'integer' },
  model: text,
  data: list(object({ ...FILE, 'revised_prompt?': described(text, 'Delta model only.') }), 1, 1),
});

const CLIPS = object({
  created: { type: 'integer' },
  model: text,
  tier: oneOf('radical_speed'),
  seed: { type: 'integer' },
  data: list(
    object({
      ...FILE,
      width: whole(1),
      height: whole(1),
      duration: decimal(0),
      frames: whole(1),
      frame_rate: oneOf(24),
    }),
    1,
    1,
  ),
});

const TASK_A = object({
  code: described({ type: 'integer' }, '0 on success; non-zero is a provider error (1201: image with a data: prefix).'),
  message: text,
  'data?': object({
    task_id: text,
    task_status: oneOf('submitted', 'processing', 'succeed', 'failed'),
    'task_status_msg?': text,
    'task_result?': object({ videos: list(object({ 'url?': url, duration: text })) }),
  }),
});

const ERROR_OBJECT = object({
  code: text,
  message: text,
  'request_id?': text,
  'doc_url?': url,
  'details?': { type: 'object' },
});

/** The forms of the general contract: an `error` object, a plain `detail`, a `detail` object. */
export const ERROR_SCHEMA: Schema = either(
  object({ error: ERROR_OBJECT }),
  object({ detail: text }),
  object({ detail: object({ code: text, message: text, model: text, entrypoint: text }) }),
);

/** The shared route's form, beside or in place of the general one. */
export const SHARED_ERROR_SCHEMA: Schema = object({ code: text, message: text, request_id: text });

const FAILURE = object({ 'code?': either(text, { type: 'integer' }), message: text });

export const ANSWER_SCHEMAS: Readonly<Record<string, Schema>> = {
  credits: object({
    credits_remaining: { type: 'number' },
    plan_level: text,
    rpm_limit: whole(1),
    concurrent_limit: whole(1),
  }),
  discounts: object({
    discounts: list(
      object({
        entrypoint: oneOf('svc', 'vendor-a', 'vendor-b', 'vendor-f'),
        multiplier: decimal(0, 1),
        effective_from: { type: 'string', format: 'date-time' },
        effective_to: either({ type: 'string', format: 'date-time' }, { type: 'null' }),
      }),
    ),
  }),
  'svc.image': IMAGES,
  'svc.edit': IMAGES,
  'svc.clip': CLIPS,
  'svc.animation': CLIPS,
  'vendor-f.interaction': { type: 'object' },
  'vendor-b.submit': object({
    data: object({ video_id: text, status: oneOf('waiting', 'pending'), output_format: oneOf('mp4') }),
  }),
  'vendor-b.poll': object({
    data: object({
      id: text,
      status: oneOf('waiting', 'pending', 'processing', 'completed', 'failed'),
      'duration?': decimal(0),
      'video_url?': url,
      'failure_message?': text,
    }),
  }),
  'vendor-b.voices': object({
    data: object({ voices: list(object({ voice_id: text, language: text, gender: text })) }),
  }),
  'vendor-a.text2video.submit': TASK_A,
  'vendor-a.image2video.submit': TASK_A,
  'vendor-a.omni-video.submit': TASK_A,
  'vendor-a.motion-control.submit': TASK_A,
  'vendor-a.poll': TASK_A,
  'shared.submit': object({ output: object({ task_id: text, task_status: oneOf('PENDING') }), request_id: text }),
  'shared.poll': object({
    output: object({
      task_id: text,
      task_status: oneOf('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'),
      'video_url?': url,
      'code?': text,
      'message?': text,
    }),
    request_id: text,
  }),
  'vendor-d.submit': object({ id: { type: 'string', pattern: '^cgt-' } }),
  'vendor-d.poll': object({
    id: text,
    model: text,
    status: oneOf('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'),
    'content?': object({ video_url: url }),
    'usage?': object({ completion_tokens: whole(0), total_tokens: whole(0) }),
    'error?': FAILURE,
  }),
  'vendor-e.submit': object({ task_id: text }),
  'vendor-e.poll': object({
    task: object({
      id: text,
      status: oneOf('queued', 'running', 'succeeded', 'failed', 'cancelled'),
      'content?': object({ url }),
      'usage?': { type: 'object' },
      'error?': FAILURE,
    }),
  }),
  'vendor-f.submit': object({ name: text }),
  'vendor-f.poll': object({
    name: text,
    done: flag,
    'error?': FAILURE,
    'response?': object({
      generateVideoResponse: object({ generatedSamples: list(object({ video: object({ 'uri?': url }) })) }),
    }),
  }),
};
