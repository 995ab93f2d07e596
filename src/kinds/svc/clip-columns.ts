import type { Check, Column, CostSubject, FieldTree, KindRules } from '../rule.js';
import { numberOf, settled, sizeTogether } from '../rule-helpers.js';

/** svc/clip and svc/animation: POST /v1/video/generations and /v1/video/animations, service document 1. */

const MODELS = ['svc-epsilon-2.5-video', 'svc-epsilon-2.3-video'] as const;

const clipSize: Check = {
  rule: 'the clip size is 1920x1080 (default) or 1280x720',
  check(row, report) {
    const width = numberOf(row, 'width');
    const height = numberOf(row, 'height');
    if (width === undefined || height === undefined) return;
    if ((width === 1920 && height === 1080) || (width === 1280 && height === 720)) return;
    if (![1920, 1280].includes(width) || ![1080, 720].includes(height)) return; // Said by the column.
    report.problem(row, 'B23', 'width', `clip size is 1920x1080 or 1280x720, got width ${width}, height ${height}`);
  },
};

const settings: readonly Column[] = [
  {
    name: 'width',
    type: 'integer',
    allowed: [1920, 1280],
    unit: ' (clip size is 1920x1080 or 1280x720)',
    code: 'B23',
    help: 'Goes with height; 1080p costs more per second.',
  },
  {
    name: 'height',
    type: 'integer',
    allowed: [1080, 720],
    unit: ' (clip size is 1920x1080 or 1280x720)',
    code: 'B23',
    help: 'Goes with width.',
  },
  {
    name: 'duration',
    type: 'decimal',
    min: 1,
    max: 8,
    unit: ' seconds',
    code: 'B24',
    malformedCode: 'B24',
    help: 'Seconds, rendered at 24 frames per second.',
  },
  {
    name: 'audio',
    type: 'boolean',
    help: 'true gives a soundtrack; describe the sound in the prompt.',
  },
  { name: 'seed', type: 'integer', help: 'The same seed gives the same clip; the result tells the seed used.' },
];

const model: Column = {
  name: 'model',
  type: 'choice',
  choices: MODELS,
  required: true,
  code: 'B13',
  help: 'Which model renders.',
};

const fields: FieldTree = {
  ...settled('model', 'prompt', 'width', 'height', 'duration', 'seed', 'n', 'response_format'),
  ...settled('tier', 'steps', 'guidance_scale', 'negative_prompt', 'num_frames'),
  ...settled('messages', 'image_url'),
  extra: settled('audio'),
};

function costNotes({ cells }: CostSubject): string[] {
  if (cells.width !== undefined) return [];
  return ['without width and height the clip is 1920x1080, which costs more per second than 1280x720'];
}

export const svcClip: KindRules = {
  path: '/v1/video/generations',
  source: 'service document 1, POST /v1/video/generations',
  summary: 'A clip of 1-8 seconds from a text.',
  columns: [
    model,
    { name: 'prompt', type: 'text', required: true, help: 'The shot: subject, camera, light, what changes.' },
    ...settings,
  ],
  checks: [sizeTogether, clipSize],
  documentedFields: fields,
  costNotes,
  problems: {
    B23: 'The clip size is not one of the two that are rendered.',
    B24: 'The clip duration is outside 1-8 seconds.',
  },
  samples: [
    { model: MODELS[0], prompt: 'a tram turns a corner in snow', width: '1280', height: '720', duration: '4' },
    { model: MODELS[1], prompt: 'rain on a tin roof, close', duration: '2.5', audio: 'true' },
  ],
};

export const svcAnimation: KindRules = {
  path: '/v1/video/animations',
  source: 'service document 1, POST /v1/video/animations',
  summary: 'A clip of 1-8 seconds whose first frame is an image.',
  columns: [
    model,
    {
      name: 'image',
      type: 'media',
      required: true,
      media: { sort: 'image', types: ['image/png', 'image/jpeg'], url: 'https', inline: 'bytes' },
      help: 'The first frame; the clip keeps its framing.',
    },
    { name: 'prompt', type: 'text', required: true, help: 'The motion: what moves, camera, light.' },
    ...settings,
  ],
  checks: [sizeTogether, clipSize],
  documentedFields: fields,
  costNotes,
  samples: [
    {
      model: MODELS[0],
      image: 'https://example.com/lake.png',
      prompt: 'mist drifts over the water',
      width: '1280',
      height: '720',
      duration: '5',
    },
  ],
};
