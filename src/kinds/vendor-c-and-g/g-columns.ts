import type { Check, KindRules, MediaRule } from '../rule.js';
import { countOf, textOf } from '../rule-helpers.js';
import {
  framesOrReferences,
  modelOf,
  perModel,
  referenceCount,
  resolutionsText,
  type SharedModels,
  SUBMIT_PATH,
  sharedRouteFields,
  taskOfModel,
} from './models.js';

/** vendor-g/video: service document 2, Shared route for `vendor-c` and `vendor-g` models. */

const V11 = { resolutions: ['480P', '720P', '1080P'], secondsMin: 3, secondsMax: 15, referencesMax: 9 } as const;
const V10 = { ...V11, resolutions: ['720P', '1080P'] } as const;

const MODELS: SharedModels = {
  'vendor-g-1.1-t2v': { ...V11, task: 't2v' },
  'vendor-g-1.1-i2v': { ...V11, task: 'i2v' },
  'vendor-g-1.1-r2v': { ...V11, task: 'r2v' },
  'vendor-g-1.0-t2v': { ...V10, task: 't2v' },
  'vendor-g-1.0-i2v': { ...V10, task: 'i2v' },
  'vendor-g-1.0-r2v': { ...V10, task: 'r2v' },
};

const offeredResolution: Check = {
  rule: `resolution: ${perModel(MODELS, resolutionsText)}`,
  check(row, report) {
    const model = modelOf(MODELS, row);
    const resolution = textOf(row, 'resolution');
    if (model === undefined || resolution === undefined || model.resolutions.includes(resolution)) return;
    const message = `resolution ${resolution} is not offered by ${row.model}; it renders ${resolutionsText(model)}`;
    report.problem(row, 'B36', 'resolution', message);
  },
};

const placeholders: Check = {
  rule: 'the prompt refers to references as [Image 1], counted from 1 (warning beyond the last)',
  check(row, report) {
    const count = countOf(row, 'reference_images');
    if (count === 0) return;
    for (const match of (textOf(row, 'prompt') ?? '').matchAll(/\[Image ([0-9]{1,3})\]/g)) {
      const number = Number(match[1]);
      if (number >= 1 && number <= count) continue;
      report.warning(row, 'B36', 'prompt', `prompt refers to ${match[0]}, the row has ${count} reference images`);
    }
  },
};

const image: MediaRule = {
  sort: 'image',
  types: ['image/jpeg', 'image/png', 'image/webp'],
  url: 'http-or-https',
  inline: 'url-only',
  maxBytes: 20_000_000,
};

const frameOnly = 'vendor-g takes a first frame only';

export const vendorGVideo: KindRules = {
  path: SUBMIT_PATH,
  source: 'service document 2, Shared route for `vendor-c` and `vendor-g` models',
  summary: 'A scored clip from a text, from a first frame, or from reference images.',
  columns: [
    { name: 'model', type: 'choice', choices: Object.keys(MODELS), required: true, code: 'B13', help: 'Which model.' },
    {
      name: 'prompt',
      type: 'text',
      required: true,
      help: 'What the clip shows; refers to a reference by its position: [Image 1].',
    },
    {
      name: 'first_frame',
      type: 'media',
      media: { ...image, minSide: 300, maxRatio: 2.5 },
      help: 'The image that the clip starts with.',
    },
    {
      name: 'reference_images',
      type: 'media',
      many: true,
      media: { ...image, minShortSide: 400 },
      help: '1 to 9 images.',
    },
    {
      name: 'resolution',
      type: 'choice',
      choices: ['480P', '720P', '1080P'],
      code: 'B36',
      help: '480P on 1.1 only; the default is the most expensive.',
    },
    {
      name: 'duration',
      type: 'integer',
      min: 3,
      max: 15,
      unit: ' seconds',
      help: 'Seconds; billed per second.',
    },
    {
      name: 'watermark',
      type: 'boolean',
      help: 'A vendor mark in the lower-right corner; on by default.',
    },
  ],
  checks: [offeredResolution, framesOrReferences, taskOfModel(MODELS), referenceCount(MODELS), placeholders],
  refusedColumns: {
    last_frame: { code: 'B36', message: `${frameOnly}, no last_frame` },
    end_frame: { code: 'B36', message: `${frameOnly}, no end_frame` },
    driving_audio: { code: 'B36', message: `${frameOnly}, no driving_audio; every clip is scored` },
    audio: { code: 'B36', message: `${frameOnly}; there is no audio switch, every clip is scored` },
  },
  documentedFields: sharedRouteFields,
  costNotes({ cells }) {
    const notes: string[] = [];
    if (cells.resolution === undefined) {
      notes.push('without resolution 1080P is rendered, the most expensive tier');
    }
    if (cells.watermark === undefined) notes.push('without watermark=false vendor-g puts its mark on the clip');
    return notes;
  },
  samples: [
    { model: 'vendor-g-1.1-t2v', prompt: 'a kite over dunes', resolution: '480P', duration: '3', watermark: 'false' },
    {
      model: 'vendor-g-1.0-i2v',
      prompt: 'she turns round',
      first_frame: 'https://example.com/woman.jpg',
      resolution: '720P',
      watermark: 'false',
    },
    {
      model: 'vendor-g-1.1-r2v',
      prompt: 'the coat of [Image 1] on the person of [Image 2]',
      reference_images: 'https://example.com/coat.png|https://example.com/person.png',
      resolution: '720P',
      duration: '5',
      watermark: 'false',
    },
  ],
};
