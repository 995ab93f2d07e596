/** One good submit of each asynchronous family, and where its handle stands in the answer (service document 2). */
import type { Json } from './harness.js';

interface GoodSubmit {
  family: string;
  route: string;
  path: string;
  body: Json;
  /** The place of the handle, dotted. */
  handleAt: string;
  pollPath: (handle: string) => string;
}

const text = [{ type: 'text', text: 'a lake' }];

function shared(family: string, model: string): GoodSubmit {
  return {
    family,
    route: `${family}.submit`,
    path: '/v1/vendor-c/services/aigc/video-generation/video-synthesis',
    body: { model, input: { prompt: 'x' } },
    handleAt: 'output.task_id',
    pollPath: (handle) => `/v1/vendor-c/tasks/${handle}`,
  };
}

export const GOOD_SUBMITS: readonly GoodSubmit[] = [
  {
    family: 'vendor-a',
    route: 'vendor-a.submit',
    path: '/v1/vendor-a/videos/text2video',
    body: { prompt: 'x' },
    handleAt: 'data.task_id',
    pollPath: (handle) => `/v1/vendor-a/videos/text2video/${handle}`,
  },
  {
    family: 'vendor-b',
    route: 'vendor-b.submit',
    path: '/v1/vendor-b/v3/videos',
    body: { type: 'avatar', avatar_id: 'a', engine: { type: 'avatar_v' }, script: 'Hi.', voice_id: 'v-amber-en' },
    handleAt: 'data.video_id',
    pollPath: (handle) => `/v1/vendor-b/v3/videos/${handle}`,
  },
  shared('vendor-c', 'vendor-c-2.7-t2v'),
  shared('vendor-g', 'vendor-g-1.0-t2v'),
  {
    family: 'vendor-d',
    route: 'vendor-d.submit',
    path: '/v1/vendor-d/contents/generations/tasks',
    body: { model: 'vendor-d-2-5-260628', content: text },
    handleAt: 'id',
    pollPath: (handle) => `/v1/vendor-d/contents/generations/tasks/${handle}`,
  },
  {
    family: 'vendor-e',
    route: 'vendor-e.submit',
    path: '/v1/vendor-e/v2/video_generation',
    body: { model: 'Vendor-E-H3', duration: 4, ratio: '16:9', content: text },
    handleAt: 'task_id',
    pollPath: (handle) => `/v1/vendor-e/v2/query/video_generation/${handle}`,
  },
  {
    family: 'vendor-f',
    route: 'vendor-f.submit',
    path: '/v1/vendor-f/v1beta/models/vendor-f-3.1-lite-generate-preview:predictLongRunning',
    body: { instances: [{ prompt: 'x' }], parameters: { durationSeconds: 4 } },
    handleAt: 'name',
    pollPath: (handle) => `/v1/vendor-f/v1beta/operations/${handle}`,
  },
];
