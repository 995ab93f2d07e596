import type { Check, KindRules } from '../rule.js';
import { has, numberOf } from '../rule-helpers.js';
import {
  checkResolution,
  framesOrReferences,
  modelOf,
  perModel,
  referenceCount,
  resolutionsText,
  type SharedModels,
  SUBMIT_PATH,
  sharedRouteFields,
  taskOfModel,
} from './shared-columns.js';

/** vendor-c/video: service document 2, Shared route for `vendor-c` and `vendor-g` models. */

const V30 = { resolutions: ['480P', '720P', '1080P'], secondsMin: 2, secondsMax: 30, referencesMax: 10 } as const;
const V27 = { resolutions: ['720P', '1080P'], secondsMin: 2, secondsMax: 15, referencesMax: 5 } as const;

const MODELS: SharedModels = {
  'vendor-c-3.0-video': V30,
  'vendor-c-3.0-video-prime': V30,
  'vendor-c-2.7-t2v': { ...V27, task: 't2v' },
  'vendor-c-2.7-i2v': { ...V27, task: 'i2v', drivingAudio: true },
  'vendor-c-2.7-r2v': { ...V27, task: 'r2v' },
};

const offered: Check = {
  rule: `resolution and duration: ${perModel(MODELS, (m) => `${resolutionsText(m)}, ${m.secondsMin}-${m.secondsMax} s`)}`,
  check(row, report) {
    const model = modelOf(MODELS, row);
    if (model === undefined) return;
    checkResolution(MODELS, 'B37')(row, report);
    const seconds = numberOf(row, 'duration');
    if (seconds !== undefined && (seconds < model.secondsMin || seconds > model.secondsMax)) {
      const range = `${model.secondsMin}-${model.secondsMax} seconds`;
      report.problem(row, 'B37', 'duration', `duration must be ${range} on ${row.model}, got ${seconds}`);
    }
  },
};

const frames: Check = {
  rule: 'last_frame and driving_audio go with first_frame (image-to-video); driving_audio is for vendor-c-2.7-i2v only',
  check(row, report) {
    const model = modelOf(MODELS, row);
    if (has(row, 'driving_audio') && model !== undefined && model.drivingAudio !== true && model.task === undefined) {
      report.problem(row, 'B25', 'driving_audio', `driving_audio is for vendor-c-2.7-i2v only, not for ${row.model}`);
    }
    if (has(row, 'first_frame') || model?.task !== undefined) return; // The task of the model already says it.
    if (has(row, 'last_frame')) {
      report.problem(row, 'B59', 'first_frame', 'last_frame needs first_frame: it is for image-to-video only');
    }
  },
};

const frame = { sort: 'image', url: 'http-or-https', inline: 'url-only' } as const;
const formats = ['image/jpeg', 'image/png', 'image/bmp', 'image/webp'];

export const vendorCVideo: KindRules = {
  path: SUBMIT_PATH,
  source: 'service document 2, Shared route for `vendor-c` and `vendor-g` models',
  summary: 'A clip from a text, from a first frame, or from reference images.',
  columns: [
    { name: 'model', type: 'choice', choices: Object.keys(MODELS), required: true, code: 'B13', help: 'Which model.' },
    {
      name: 'prompt',
      type: 'text',
      required: true,
      help: 'What the clip shows; refers to a reference by its position: Image 1.',
    },
    { name: 'first_frame', type: 'media', media: frame, help: 'The image that the clip starts with.' },
    { name: 'last_frame', type: 'media', media: frame, help: 'The image that the clip ends with.' },
    {
      name: 'driving_audio',
      type: 'media',
      media: { sort: 'audio', types: ['audio/wav', 'audio/mpeg'], url: 'http-or-https', inline: 'url-only' },
      help: 'A WAV or MP3 file; vendor-c-2.7-i2v only.',
    },
    {
      name: 'reference_images',
      type: 'media',
      many: true,
      media: {
        ...frame,
        types: formats,
        minSide: 240,
        maxSide: 8000,
        widestRatio: 8,
        maxBytes: 20_000_000,
        transparency: 'refused',
      },
      help: 'Up to 10 on 3.0, up to 5 on 2.7.',
    },
    {
      name: 'resolution',
      type: 'choice',
      choices: ['480P', '720P', '1080P'],
      code: 'B37',
      help: '480P on 3.0 only; the default is the most expensive.',
    },
    {
      name: 'duration',
      type: 'integer',
      min: 2,
      max: 30,
      unit: ' seconds',
      code: 'B37',
      help: 'Seconds; billed per second.',
    },
    { name: 'watermark', type: 'boolean', help: 'A vendor mark in the lower-right corner.' },
  ],
  checks: [offered, frames, framesOrReferences, taskOfModel(MODELS), referenceCount(MODELS)],
  documentedFields: sharedRouteFields,
  costNotes: ({ cells }) =>
    cells.resolution === undefined ? ['without resolution 1080P is rendered, the most expensive tier'] : [],
  problems: {
    B37: 'vendor-c: the model does not offer this resolution or duration.',
  },
  samples: [
    { model: 'vendor-c-3.0-video', prompt: 'a market at night', resolution: '480P', duration: '5' },
    {
      model: 'vendor-c-2.7-i2v',
      prompt: 'the singer begins',
      first_frame: 'https://example.com/singer.jpg',
      driving_audio: 'https://example.com/song.mp3',
      resolution: '720P',
    },
    {
      model: 'vendor-c-3.0-video-prime',
      prompt: 'the cup of Image 1 on the table of Image 2',
      reference_images: 'https://example.com/cup.png|https://example.com/table.png',
      resolution: '720P',
      duration: '8',
    },
  ],
};
