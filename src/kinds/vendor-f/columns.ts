import type { Check, KindRules } from '../rule.js';
import { settled, textOf } from '../rule-helpers.js';

/** vendor-f/video and vendor-f/interaction: service document 2, `vendor-f` submit body; document 1, Endpoints. */

const LITE = 'vendor-f-3.1-lite-generate-preview';
const MODELS = ['vendor-f-3.1-generate-preview', 'vendor-f-3.1-fast-generate-preview', LITE] as const;

const liteResolution: Check = {
  rule: 'resolution 4k is not available on lite',
  check(row, report) {
    if (row.model !== LITE || textOf(row, 'resolution') !== '4k') return;
    report.problem(row, 'B41', 'resolution', 'resolution 4k is not available on lite; it renders 720p and 1080p');
  },
};

export const vendorFVideo: KindRules = {
  path: '/v1/vendor-f/v1beta/models/{model}:predictLongRunning',
  source: 'service document 2, `vendor-f` submit body',
  summary: 'A clip with sound from a text, or from an image and a text.',
  columns: [
    { name: 'model', type: 'choice', choices: MODELS, required: true, code: 'B13', help: 'Standard, fast or lite.' },
    { name: 'prompt', type: 'text', required: true, help: 'What the clip shows.' },
    {
      name: 'image',
      type: 'media',
      media: { sort: 'image', url: 'http-or-https', inline: 'bytes-only' },
      help: 'The image that moves; sent as bytes, so callsheet fetches a URL itself.',
    },
    {
      name: 'resolution',
      type: 'choice',
      choices: ['720p', '1080p', '4k'],
      code: 'B41',
      help: 'Not 4k on lite.',
    },
    {
      name: 'duration',
      type: 'integer',
      allowed: [4, 6, 8],
      unit: ' seconds (durationSeconds)',
      code: 'B41',
      help: 'Seconds.',
    },
  ],
  checks: [liteResolution],
  documentedFields: {
    ...settled('model', 'instances'),
    parameters: settled('resolution', 'durationSeconds'),
  },
  costNotes: ({ cells }) =>
    cells.duration === undefined ? ['without duration 8 seconds are rendered, the longest; 4 and 6 cost less'] : [],
  problems: {
    B41: 'vendor-f: the resolution or duration is not offered.',
  },
  samples: [
    { model: MODELS[1], prompt: 'waves against a pier, slow push in', resolution: '720p', duration: '4' },
    {
      model: LITE,
      prompt: 'the dog turns its head',
      image: 'https://example.com/dog.jpg',
      resolution: '1080p',
      duration: '6',
    },
  ],
};

export const vendorFInteraction: KindRules = {
  path: '/v1/vendor-f/v1beta/interactions',
  source: 'service document 1, Endpoints (request layout not shown)',
  summary: 'A synchronous image interaction; the answer is kept as .json.',
  columns: [
    {
      name: 'body',
      type: 'json',
      shape: 'object',
      required: true,
      help: 'The whole request body, sent as it is: its layout is not documented.',
    },
  ],
  documentedFields: {},
  samples: [{ body: '{"input":"a red kite over dunes"}' }],
};
