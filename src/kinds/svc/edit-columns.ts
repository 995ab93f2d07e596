import type { KindRules } from '../rule.js';
import { settled, sizeTogether } from '../rule-helpers.js';

/** svc/edit: POST /v1/images/edits, service document 1. */

const MODELS = ['svc-alpha.2-klein-4b-edit', 'svc-alpha.2-klein-9b-edit', 'svc-beta-image-edit-2511'] as const;

const sizeMissing = {
  code: 'B15',
  message: 'width and height are required; the size of the source image is not used as a default',
} as const;

export const svcEdit: KindRules = {
  path: '/v1/images/edits',
  source: 'service document 1, POST /v1/images/edits',
  summary: 'An image from an image and a text.',
  columns: [
    { name: 'model', type: 'choice', choices: MODELS, required: true, code: 'B13', help: 'Which model edits.' },
    {
      name: 'image',
      type: 'media',
      required: true,
      media: {
        sort: 'image',
        types: ['image/png', 'image/jpeg', 'image/webp'],
        url: 'http-or-https',
        inline: 'bytes',
        redirects: 'refused',
        maxBytes: 10_000_000,
        minSide: 64,
        maxRatio: 8,
      },
      help: 'The source image: a reference, not a canvas. A URL must not redirect.',
    },
    { name: 'prompt', type: 'text', required: true, help: 'What to change, add or remove.' },
    {
      name: 'tier',
      type: 'choice',
      choices: ['radical_speed', 'radical_value'],
      help: 'Speed or price.',
    },
    {
      name: 'width',
      type: 'integer',
      required: true,
      missing: sizeMissing,
      min: 1,
      max: 8192,
      code: 'B17',
      help: 'Pixels; goes with height.',
    },
    {
      name: 'height',
      type: 'integer',
      required: true,
      missing: sizeMissing,
      min: 1,
      max: 8192,
      code: 'B17',
      help: 'Pixels; goes with width.',
    },
    { name: 'seed', type: 'integer', help: 'The same seed with the same values gives the same image.' },
  ],
  checks: [sizeTogether],
  documentedFields: {
    ...settled('model', 'url', 'prompt', 'tier', 'width', 'height', 'n', 'response_format', 'seed'),
    ...settled('steps', 'true_cfg_scale', 'prompt_expansion'),
  },
  samples: [
    {
      model: 'svc-beta-image-edit-2511',
      image: 'https://example.com/room.jpg',
      prompt: 'paint the wall green',
      width: '1536',
      height: '1024',
    },
    {
      model: 'svc-beta-image-edit-2511',
      image: '@svc-edit-1',
      prompt: 'hang a picture on the wall',
      width: '1536',
      height: '1024',
    },
  ],
};
