import type { JsonObject } from '../../src/domain/json.js';
import type { Kind } from '../../src/domain/kind.js';
import type { Media } from '../../src/domain/row.js';
import type { Family, JobView } from './family.js';

/** The documents' families as the model of the service speaks them (service documents 1 and 2). */

const word = (job: JobView, words: Record<JobView['word'], string>): string => words[job.word];
const ifDone = (job: JobView, facts: JsonObject): JsonObject => (job.word === 'succeeded' ? facts : {});
const ifFailed = (job: JobView, facts: JsonObject): JsonObject => (job.word === 'failed' ? facts : {});
const media = (marker: string, name: string): Media[] => [
  { source: 'url', url: `https://in.example/${marker}/${name}` },
];
const plain = (cells: JsonObject) => ({ cells, media: {} });

const synchronous = {
  entrypoint: 'svc',
  charge: 'at-success',
  accepted: () => ({}),
} as const;

const vendorA = {
  entrypoint: 'vendor-a',
  charge: 'anywhere',
  accepted: (handle: string) => ({ code: 0, message: 'SUCCEED', data: { task_id: handle, task_status: 'submitted' } }),
  polled: (job: JobView) => ({
    code: 0,
    data: {
      task_id: job.handle,
      task_status: word(job, { running: 'processing', succeeded: 'succeed', failed: 'failed' }),
      ...ifDone(job, { task_result: { videos: [{ url: job.url, duration: '5' }] } }),
      ...ifFailed(job, { task_status_msg: 'the model gave up' }),
    },
  }),
} as const;

const shared = { running: 'RUNNING', succeeded: 'SUCCEEDED', failed: 'FAILED' };
const lower = { running: 'running', succeeded: 'succeeded', failed: 'failed' };

export const FAMILIES: readonly Family[] = [
  {
    ...synchronous,
    kind: 'svc/image',
    submitPath: /^\/v1\/images\/generations$/,
    unit: 'image',
    units: 1,
    row: (marker) => plain({ model: 'svc-alpha.2-klein-4b', prompt: marker, width: 1_024, height: 1_024 }),
    polled: (job) => ({ created: 1, model: 'svc-alpha.2-klein-4b', data: [{ url: job.url }] }),
  },
  {
    ...synchronous,
    kind: 'svc/clip',
    submitPath: /^\/v1\/video\/generations$/,
    unit: 'second',
    units: 6,
    row: (marker) => plain({ model: 'svc-epsilon-2.5-video', prompt: marker, duration: 6 }),
    polled: (job) => ({ created: 1, model: 'svc-epsilon-2.5-video', seed: 7, data: [{ url: job.url, duration: 6 }] }),
  },
  {
    ...vendorA,
    kind: 'vendor-a/text2video',
    submitPath: /^\/v1\/vendor-a\/videos\/text2video$/,
    unit: 'second',
    units: 5,
    row: (marker) => plain({ prompt: marker, duration: 5 }),
  },
  {
    ...vendorA,
    kind: 'vendor-a/motion-control',
    submitPath: /^\/v1\/vendor-a\/videos\/motion-control$/,
    unit: 'input-second',
    units: 4,
    row: (marker) => ({
      cells: { character_orientation: 'image', input_video_seconds: 4 },
      media: { image: media(marker, 'a.png'), video: media(marker, 'a.mp4') },
    }),
  },
  {
    kind: 'vendor-b/avatar',
    entrypoint: 'vendor-b',
    charge: 'at-completion',
    submitPath: /^\/v1\/vendor-b\/v3\/videos$/,
    unit: 'second',
    units: 20,
    unitsMax: 60,
    row: (marker) => plain({ avatar_id: 'ann', script: marker, voice_id: 'v1' }),
    accepted: (handle) => ({ data: { video_id: handle, status: 'waiting', output_format: 'mp4' } }),
    polled: (job) => ({
      data: {
        id: job.handle,
        status: word(job, { running: 'processing', succeeded: 'completed', failed: 'failed' }),
        ...ifDone(job, { duration: job.seconds, video_url: job.url }),
        ...ifFailed(job, { message: 'no face' }),
      },
    }),
  },
  {
    kind: 'vendor-c/video',
    entrypoint: null,
    charge: 'anywhere',
    submitPath: /^\/v1\/vendor-c\//,
    unit: 'second',
    units: 5,
    row: (marker) => plain({ model: 'vendor-c-3.0-video', prompt: marker, duration: 5 }),
    accepted: (handle) => ({ output: { task_id: handle, task_status: 'PENDING' } }),
    polled: (job) => ({
      output: {
        task_status: word(job, shared),
        ...ifDone(job, { video_url: job.url }),
        ...ifFailed(job, { code: 'Internal', message: 'the model gave up' }),
      },
    }),
  },
  {
    kind: 'vendor-d/video',
    entrypoint: null,
    charge: 'at-completion',
    submitPath: /^\/v1\/vendor-d\//,
    unit: 'million-tokens',
    units: 0.1,
    unitsMax: 0.3,
    row: (marker) => plain({ prompt: marker }),
    accepted: (handle) => ({ id: handle }),
    polled: (job) => ({
      status: word(job, lower),
      ...ifDone(job, { content: { video_url: job.url }, usage: { completion_tokens: job.tokens } }),
      ...ifFailed(job, { error: { message: 'the model gave up' } }),
    }),
  },
  {
    kind: 'vendor-e/video',
    entrypoint: null,
    charge: 'anywhere',
    submitPath: /^\/v1\/vendor-e\//,
    unit: 'second',
    units: 5,
    row: (marker) => plain({ prompt: marker, duration: 5, ratio: '16:9' }),
    accepted: (handle) => ({ task_id: handle }),
    polled: (job) => ({
      task: {
        status: word(job, lower),
        ...ifDone(job, { content: { url: job.url }, usage: {} }),
        ...ifFailed(job, { error: { message: 'the model gave up' } }),
      },
    }),
  },
  {
    kind: 'vendor-f/video',
    entrypoint: 'vendor-f',
    charge: 'at-submit',
    submitPath: /^\/v1\/vendor-f\//,
    unit: 'second',
    units: 8,
    row: (marker) => plain({ model: 'vendor-f-3.1-generate-preview', prompt: marker, duration: 8 }),
    accepted: (handle) => ({ name: handle }),
    polled: (job) => ({
      done: job.word !== 'running',
      ...ifDone(job, { response: { generateVideoResponse: { generatedSamples: [{ video: { uri: job.url } }] } } }),
      ...ifFailed(job, { error: { message: 'the model gave up' } }),
    }),
  },
];

export function familyOf(kind: Kind): Family {
  const family = FAMILIES.find((one) => one.kind === kind);
  if (!family) throw new Error(`the model has no family for ${kind}`);
  return family;
}
