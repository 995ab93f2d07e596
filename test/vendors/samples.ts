/** One valid row and the documented answers for every kind, written by hand from the service documents. */

import type { Output, ResultFacts } from '../../src/domain/exchange.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import type { Kind } from '../../src/domain/kind.js';
import type { ResolvedMedia, ResolvedMediaSet, Row } from '../../src/domain/row.js';

export const URL_IMAGE: ResolvedMedia = { form: 'url', url: 'https://media.example/a.png' };
export const URL_VIDEO: ResolvedMedia = { form: 'url', url: 'https://media.example/a.mp4' };
export const URL_AUDIO: ResolvedMedia = { form: 'url', url: 'https://media.example/a.mp3' };
export const BYTES: ResolvedMedia = { form: 'bytes', mediaType: 'image/png', base64: 'iVBORw0KGgo=' };

const OUTPUT_URL = 'https://out.example/clip.mp4?token=a%2Fb';

export interface PollSample {
  /** The answer with any status in the place of the status word. */
  withStatus(status: Json): JsonObject;
  running: JsonObject[];
  succeeded: { answer: JsonObject; outputs: Output[]; facts: ResultFacts }[];
  failed: { answer: JsonObject; word: string; code?: string; message: string }[];
  /** The service says that it succeeded, but names no output. */
  withoutUrl: JsonObject[];
}

export interface Sample {
  cells: Record<string, Json>;
  media?: ResolvedMediaSet;
  submitPath: string;
  submitAnswer: JsonObject;
  /** Synchronous kinds: what the answer holds. */
  done?: { outputs: Output[]; facts: ResultFacts };
  /** Asynchronous kinds. */
  handle?: string;
  pollPath?: (segment: string) => string;
  poll?: PollSample;
}

export function rowOf(kind: Kind, cells: Record<string, Json>, extra?: JsonObject): Row {
  const row: Row = { index: 0, line: 2, id: 'r1', kind, stem: 'r1', cells, media: {}, hash: '0'.repeat(64) };
  return extra === undefined ? row : { ...row, extra };
}

const IMAGE_URL = 'https://out.example/image.png';
const imageAnswer = { created: 1_750_000_000, data: [{ url: IMAGE_URL }], model: 'svc-delta-4' };
const clipItem = { width: 1280, height: 720, duration: 6.04, frames: 145, frame_rate: 24 };
const clipAnswer = {
  created: 1_750_000_000,
  model: 'svc-epsilon-2.5-video',
  tier: 'radical_speed',
  seed: 42,
  data: [{ url: OUTPUT_URL, ...clipItem }],
};
const clipDone = {
  outputs: [{ url: OUTPUT_URL, width: 1280, height: 720, durationSeconds: 6.04, frames: 145, frameRate: 24 }],
  facts: { seed: 42, billedSeconds: 6.04 },
};

const taskOf = (capability: string) => `/v1/vendor-a/videos/${capability}`;
const vendorAPoll: PollSample = {
  withStatus: (status) => ({ code: 0, message: 'SUCCEED', data: { task_id: 'task-1', task_status: status } }),
  running: ['submitted', 'processing'].map((status) => ({
    code: 0,
    message: 'SUCCEED',
    data: { task_id: 'task-1', task_status: status },
  })),
  succeeded: [
    {
      answer: {
        code: 0,
        message: 'SUCCEED',
        data: {
          task_id: 'task-1',
          task_status: 'succeed',
          task_result: {
            videos: [
              { url: OUTPUT_URL, duration: '5.1' },
              { url: `${OUTPUT_URL}2`, duration: '10' },
            ],
          },
        },
      },
      outputs: [
        { url: OUTPUT_URL, durationSeconds: 5.1 },
        { url: `${OUTPUT_URL}2`, durationSeconds: 10 },
      ],
      facts: {},
    },
  ],
  failed: [
    {
      answer: { code: 0, data: { task_id: 'task-1', task_status: 'failed', task_status_msg: 'risk control' } },
      word: 'failed',
      message: 'risk control',
    },
  ],
  withoutUrl: [
    { code: 0, data: { task_id: 'task-1', task_status: 'succeed' } },
    { code: 0, data: { task_id: 'task-1', task_status: 'succeed', task_result: { videos: [] } } },
    { code: 0, data: { task_id: 'task-1', task_status: 'succeed', task_result: { videos: [{ duration: '5' }] } } },
  ],
};

function vendorA(capability: string, cells: Record<string, Json>, media: ResolvedMediaSet = {}): Sample {
  return {
    cells,
    media,
    submitPath: taskOf(capability),
    submitAnswer: { code: 0, message: 'SUCCEED', data: { task_id: 'task-1', task_status: 'submitted' } },
    handle: 'task-1',
    pollPath: (segment) => `${taskOf(capability)}/${segment}`,
    poll: vendorAPoll,
  };
}

function sharedRoute(model: string): Sample {
  const output = (status: Json, more: JsonObject = {}) => ({
    output: { task_id: 't-9', task_status: status, ...more },
    request_id: 'req-1',
  });
  return {
    cells: { model, prompt: 'a fox', resolution: '720P', duration: 5 },
    submitPath: '/v1/vendor-c/services/aigc/video-generation/video-synthesis',
    submitAnswer: output('PENDING'),
    handle: 't-9',
    pollPath: (segment) => `/v1/vendor-c/tasks/${segment}`,
    poll: {
      withStatus: (status) => output(status),
      running: [output('PENDING'), output('RUNNING')],
      succeeded: [
        { answer: output('SUCCEEDED', { video_url: OUTPUT_URL }), outputs: [{ url: OUTPUT_URL }], facts: {} },
      ],
      failed: [
        {
          answer: output('FAILED', { code: 'InvalidURL', message: 'cannot fetch' }),
          word: 'FAILED',
          code: 'InvalidURL',
          message: 'cannot fetch',
        },
        { answer: output('CANCELED'), word: 'CANCELED', message: 'no reason given' },
        { answer: output('FAILED', { code: null, message: null }), word: 'FAILED', message: 'no reason given' },
        {
          answer: output('FAILED', { code: 1201, message: { zh: 'x' } }),
          word: 'FAILED',
          code: '1201',
          message: '{"code":1201,"message":{"zh":"x"}}',
        },
      ],
      withoutUrl: [
        output('SUCCEEDED'),
        output('SUCCEEDED', { video_url: '' }),
        output('SUCCEEDED', { video_url: null }),
      ],
    },
  };
}

const avatarHandle = `av_${'x'.repeat(227)}`;
const avatar = (fields: JsonObject): JsonObject => ({ data: { id: avatarHandle, ...fields } });
const operationName = `op-${'y'.repeat(257)}`;
const operation = (fields: JsonObject): JsonObject => ({ name: operationName, ...fields });
const samplesOf = (...uris: string[]): JsonObject => ({
  generateVideoResponse: { generatedSamples: uris.map((uri) => ({ video: { uri } })) },
});
const tokenUsage = { completion_tokens: 108_900, total_tokens: 108_900 };
const secondsUsage = { output_seconds: 6, images: 2 };

const SAMPLES: Readonly<Record<Kind, Sample>> = {
  'svc/image': {
    cells: { model: 'svc-delta-4', prompt: 'a sign' },
    submitPath: '/v1/images/generations',
    submitAnswer: imageAnswer,
    done: { outputs: [{ url: IMAGE_URL }], facts: {} },
  },
  'svc/edit': {
    cells: { model: 'svc-beta-image-edit-2511', prompt: 'add a hat', width: 1024, height: 1024 },
    media: { image: [BYTES] },
    submitPath: '/v1/images/edits',
    submitAnswer: imageAnswer,
    done: { outputs: [{ url: IMAGE_URL }], facts: {} },
  },
  'svc/clip': {
    cells: { model: 'svc-epsilon-2.5-video', prompt: 'a wave' },
    submitPath: '/v1/video/generations',
    submitAnswer: clipAnswer,
    done: clipDone,
  },
  'svc/animation': {
    cells: { model: 'svc-epsilon-2.3-video', prompt: 'slow zoom' },
    media: { image: [BYTES] },
    submitPath: '/v1/video/animations',
    submitAnswer: clipAnswer,
    done: clipDone,
  },
  'vendor-a/text2video': vendorA('text2video', { prompt: 'a fox' }),
  'vendor-a/image2video': vendorA('image2video', { prompt: 'it runs' }, { image: [BYTES] }),
  'vendor-a/omni-video': vendorA('omni-video', { prompt: '<<<image_1>>> runs' }, { images: [URL_IMAGE] }),
  'vendor-a/motion-control': vendorA(
    'motion-control',
    { character_orientation: 'image', input_video_seconds: 8 },
    { image: [BYTES], video: [URL_VIDEO] },
  ),
  'vendor-b/avatar': {
    cells: { script: 'Hello', voice_id: 'v-1' },
    media: { image: [BYTES] },
    submitPath: '/v1/vendor-b/v3/videos',
    submitAnswer: { data: { video_id: avatarHandle, status: 'waiting', output_format: 'mp4' } },
    handle: avatarHandle,
    pollPath: (segment) => `/v1/vendor-b/v3/videos/${segment}`,
    poll: {
      withStatus: (status) => avatar({ status }),
      running: ['waiting', 'pending', 'processing'].map((status) => avatar({ status })),
      succeeded: [
        {
          answer: avatar({ status: 'completed', duration: 12.4, video_url: OUTPUT_URL }),
          outputs: [{ url: OUTPUT_URL, durationSeconds: 12.4 }],
          facts: { billedSeconds: 12.4 },
        },
      ],
      failed: [
        {
          answer: avatar({ status: 'failed', error: { code: 'no_face', message: 'no face found' } }),
          word: 'failed',
          code: 'no_face',
          message: 'no face found',
        },
        { answer: avatar({ status: 'failed' }), word: 'failed', message: 'no reason given' },
      ],
      withoutUrl: [avatar({ status: 'completed', duration: 12.4 }), avatar({ status: 'completed', video_url: 7 })],
    },
  },
  'vendor-c/video': sharedRoute('vendor-c-3.0-video'),
  'vendor-g/video': sharedRoute('vendor-g-1.1-t2v'),
  'vendor-d/video': {
    cells: { prompt: 'a fox' },
    submitPath: '/v1/vendor-d/contents/generations/tasks',
    submitAnswer: { id: 'cgt-2026-abc' },
    handle: 'cgt-2026-abc',
    pollPath: (segment) => `/v1/vendor-d/contents/generations/tasks/${segment}`,
    poll: {
      withStatus: (status) => ({ id: 'cgt-2026-abc', status }),
      running: [{ status: 'queued' }, { status: 'running' }],
      succeeded: [
        {
          answer: { status: 'succeeded', content: { video_url: OUTPUT_URL }, usage: tokenUsage },
          outputs: [{ url: OUTPUT_URL }],
          facts: { billedTokens: 108_900, usage: tokenUsage },
        },
      ],
      failed: ['failed', 'cancelled', 'expired'].map((status) => ({
        answer: { status, error: { code: 'SensitiveContent', message: 'refused by filter' } },
        word: status,
        code: 'SensitiveContent',
        message: 'refused by filter',
      })),
      withoutUrl: [{ status: 'succeeded' }, { status: 'succeeded', content: {}, usage: tokenUsage }],
    },
  },
  'vendor-e/video': {
    cells: { prompt: 'a fox', duration: 6, ratio: '16:9' },
    submitPath: '/v1/vendor-e/v2/video_generation',
    submitAnswer: { task_id: 'e-77' },
    handle: 'e-77',
    pollPath: (segment) => `/v1/vendor-e/v2/query/video_generation/${segment}`,
    poll: {
      withStatus: (status) => ({ task: { status } }),
      running: [{ task: { status: 'queued' } }, { task: { status: 'running' } }],
      succeeded: [
        {
          answer: { task: { status: 'succeeded', content: { url: OUTPUT_URL }, usage: secondsUsage } },
          outputs: [{ url: OUTPUT_URL }],
          facts: { usage: secondsUsage, shownSeconds: [6, 2] },
        },
      ],
      failed: ['failed', 'cancelled'].map((status) => ({
        answer: { task: { status, error: { message: 'file too large' } } },
        word: status,
        message: 'file too large',
      })),
      withoutUrl: [{ task: { status: 'succeeded' } }, { task: { status: 'succeeded', content: { url: '' } } }],
    },
  },
  'vendor-f/video': {
    cells: { model: 'vendor-f-3.1-fast-generate-preview', prompt: 'a fox' },
    submitPath: '/v1/vendor-f/v1beta/models/vendor-f-3.1-fast-generate-preview:predictLongRunning',
    submitAnswer: { name: operationName },
    handle: operationName,
    pollPath: (segment) => `/v1/vendor-f/v1beta/operations/${segment}`,
    poll: {
      withStatus: (status) => operation({ done: status }),
      running: [operation({ done: false })],
      succeeded: [
        {
          answer: operation({ done: true, response: samplesOf(OUTPUT_URL, `${OUTPUT_URL}2`) }),
          outputs: [{ url: OUTPUT_URL }, { url: `${OUTPUT_URL}2` }],
          facts: {},
        },
      ],
      failed: [
        {
          answer: operation({ done: true, error: { code: 3, message: 'unsafe prompt' } }),
          word: 'done with error',
          code: '3',
          message: 'unsafe prompt',
        },
      ],
      withoutUrl: [
        operation({ done: true }),
        operation({ done: true, response: {} }),
        operation({ done: true, response: samplesOf() }),
        operation({ done: true, error: { message: 'x' }, response: samplesOf(OUTPUT_URL) }),
      ],
    },
  },
  'vendor-f/interaction': {
    cells: { body: { model: 'some-model', input: 'a sign', nested: { list: [1, null, 'x'] } } },
    submitPath: '/v1/vendor-f/v1beta/interactions',
    submitAnswer: { id: 'i-1', outputs: [{ type: 'image', data: 'aGk=' }] },
    done: {
      outputs: [{ base64: Buffer.from('{"id":"i-1","outputs":[{"type":"image","data":"aGk="}]}').toString('base64') }],
      facts: {},
    },
  },
};

export function sampleOf(kind: Kind): Sample {
  const sample = SAMPLES[kind];
  if (sample === undefined) throw new Error(`${kind} needs a sample of its requests and answers`);
  return sample;
}
