import type { Check, Column, FieldTree, KindRules } from '../rule.js';
import { has, modelColumn, settled, textOf } from '../rule-helpers.js';
import { MODEL, STORYBOARD_SECONDS_MAX } from './facts.js';
import { storyboardCheck, storyboardColumns } from './storyboard-columns.js';

/** vendor-a/text2video and image2video, and what the four tasks share: service document 2, Multi-mode video. */

export const PROMPT_CHARACTERS_MAX = 2500;

/** Every field that the documents name for the family: none may be smuggled in by `extra`. */
export const vendorAFields: FieldTree = settled(
  'model_name',
  'model',
  'mode',
  'prompt',
  'negative_prompt',
  'duration',
  'sound',
  'callback_url',
  'aspect_ratio',
  'image',
  'image_url',
  'video_url',
  'image_list',
  'video_list',
  'element_list',
  'character_orientation',
  'input_video_seconds',
  'multi_shot',
  'shot_type',
  'multi_prompt',
);

export const modeColumn: Column = {
  name: 'mode',
  type: 'choice',
  choices: ['std', 'pro', '4k'],
  help: 'Quality and price; 4k always has sound on text2video and image2video.',
};

export const durationColumn: Column = {
  name: 'duration',
  type: 'integer',
  min: 3,
  max: 15,
  unit: ' (sent as a string)',
  sentAs: 'string',
  code: 'B27',
  help: 'Seconds.',
};

const promptColumn = { name: 'prompt', type: 'text', maxCharacters: PROMPT_CHARACTERS_MAX } as const;

/** Service document 2, Storyboard mode: the top-level prompt and duration are ignored. */
export const BESIDE_SHOTS = { ignoredWith: 'shots' } as const;

const negativePrompt: Column = {
  name: 'negative_prompt',
  type: 'text',
  maxCharacters: PROMPT_CHARACTERS_MAX,
  help: 'What the clip should not show.',
};

const sound: Column = {
  name: 'sound',
  type: 'choice',
  choices: ['on', 'off'],
  help: 'A soundtrack; ignored in 4k mode.',
};

const soundIn4k: Check = {
  rule: 'sound is ignored in 4k mode, which always has it (warning)',
  check(row, report) {
    if (!has(row, 'sound') || textOf(row, 'mode') !== '4k') return;
    report.warning(row, 'B33', 'sound', 'sound is ignored in 4k mode, which always has it');
  },
};

const promptUnlessShots: Check = {
  rule: 'prompt is required unless shots are given',
  check(row, report) {
    if (has(row, 'prompt') || has(row, 'shots')) return;
    report.problem(row, 'B59', 'prompt', 'prompt is required unless shots are given');
  },
};

export const vendorAText2Video: KindRules = {
  path: '/v1/vendor-a/videos/text2video',
  source: 'service document 2, Multi-mode video',
  summary: 'A clip of 3-15 seconds from a text, or from a storyboard.',
  columns: [
    { ...promptColumn, ...BESIDE_SHOTS, help: 'What the clip shows; not needed with shots.' },
    modelColumn(MODEL),
    modeColumn,
    negativePrompt,
    { ...durationColumn, ...BESIDE_SHOTS },
    sound,
    {
      name: 'aspect_ratio',
      type: 'choice',
      choices: ['16:9', '9:16', '1:1'],
      help: 'The shape of the clip.',
    },
    ...storyboardColumns,
  ],
  checks: [
    promptUnlessShots,
    soundIn4k,
    storyboardCheck({ task: 'text2video', shotsMax: 6, shotSecondsMax: 15, totalSecondsMax: STORYBOARD_SECONDS_MAX }),
  ],
  documentedFields: vendorAFields,
  problems: {
    B27: 'The duration of a multi-mode video is outside 3-15 seconds.',
    B32: 'The storyboard breaks a rule.',
    B33: 'The sound switch has no effect or no place here.',
  },
  samples: [
    { prompt: 'a paper boat on a canal', mode: 'std', duration: '5', aspect_ratio: '16:9', sound: 'on' },
    {
      shot_type: 'customize',
      shots: '[{"prompt":"a door opens","duration":3},{"prompt":"light falls in","duration":4}]',
      mode: 'pro',
    },
  ],
};

export const vendorAImage2Video: KindRules = {
  path: '/v1/vendor-a/videos/image2video',
  source: 'service document 2, Multi-mode video',
  summary: 'A clip of 3-15 seconds from an image.',
  columns: [
    {
      name: 'image',
      type: 'media',
      required: true,
      media: { sort: 'image', url: 'http-or-https', inline: 'bytes' },
      help: 'The image that moves.',
    },
    { ...promptColumn, help: 'How it moves.' },
    modelColumn(MODEL),
    modeColumn,
    negativePrompt,
    durationColumn,
    sound,
  ],
  checks: [soundIn4k],
  documentedFields: vendorAFields,
  samples: [{ image: 'https://example.com/boat.jpg', prompt: 'the boat drifts left', mode: 'std', duration: '5' }],
};
