import type { KindRules } from '../rule.js';
import { settled } from '../rule-helpers.js';
import { MODEL } from './facts.js';

/** vendor-d/video: service document 2, `vendor-d` submit body. */

export const vendorDVideo: KindRules = {
  path: '/v1/vendor-d/contents/generations/tasks',
  source: 'service document 2, `vendor-d` submit body',
  summary: 'A clip from a text, or from a first frame and a text; billed by video tokens.',
  columns: [
    { name: 'prompt', type: 'text', required: true, help: 'What the clip shows.' },
    {
      name: 'model',
      type: 'choice',
      choices: [MODEL],
      code: 'B13',
      help: 'May be left out: there is one.',
    },
    {
      name: 'first_frame',
      type: 'media',
      media: {
        sort: 'image',
        url: 'http-or-https',
        inline: 'url-only',
        minSide: 300,
        maxSide: 6000,
        maxRatio: 2.5,
        belowBytes: 30_000_000,
      },
      help: 'The image that the clip starts with; the shape follows it.',
    },
    {
      name: 'resolution',
      type: 'choice',
      choices: ['480p', '720p'],
      code: 'B38',
      help: 'vendor-d offers 480p and 720p.',
    },
    { name: 'audio', type: 'boolean', help: 'false gives a silent clip; sound changes the rate.' },
  ],
  documentedFields: settled('model', 'content', 'resolution', 'generate_audio'),
  costNotes({ cells }) {
    return cells.audio === undefined ? ['without audio=false the clip has sound, which changes the rate'] : [];
  },
  problems: {
    B38: 'vendor-d: the resolution is not offered.',
  },
  samples: [
    { prompt: 'steam rises from a cup', resolution: '480p', audio: 'false' },
    { prompt: 'the train leaves', first_frame: 'https://example.com/train.jpg', resolution: '720p', audio: 'true' },
  ],
};
