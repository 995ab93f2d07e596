import type { Check, KindRules } from '../rule.js';
import { has, numberOf, settled, sizeTogether } from '../rule-helpers.js';
import { DELTA, GAMMA } from './facts.js';

/** svc/image: POST /v1/images/generations, service document 1. */

const MODELS = [
  'svc-alpha.2-klein-4b',
  'svc-alpha.2-klein-9b',
  'svc-alpha.1-schnell',
  'svc-beta-image-2512',
  GAMMA,
  DELTA,
] as const;

const GAMMA_SIZES: readonly (readonly [number, number])[] = [
  [1024, 1024],
  [2048, 2048],
  [2304, 1728],
  [1728, 2304],
  [2560, 1440],
  [1440, 2560],
  [2496, 1664],
  [1664, 2496],
  [3104, 1312],
  [1312, 3104],
  [2304, 1792],
  [1792, 2304],
];
const GAMMA_LIST = GAMMA_SIZES.map(([width, height]) => `${width}x${height}`).join(', ');

const sizeRequired: Check = {
  rule: 'every model but delta needs width and height: there is no default size; delta renders 1024x1024 without them',
  check(row, report) {
    if (row.model === '' || row.model === DELTA || has(row, 'width') || has(row, 'height')) return;
    report.problem(row, 'B15', 'width', `${row.model} needs width and height; there is no default`);
  },
};

const deltaSize: Check = {
  rule: 'delta sizes are 1024-2048 in steps of 16',
  check(row, report) {
    if (row.model !== DELTA) return;
    for (const name of ['width', 'height']) {
      const value = numberOf(row, name);
      if (value === undefined || (value >= 1024 && value <= 2048 && value % 16 === 0)) continue;
      report.problem(row, 'B18', name, `delta sizes are 1024-2048 in steps of 16, got ${name} ${value}`);
    }
  },
};

const gammaSize: Check = {
  rule: `gamma renders only: ${GAMMA_LIST}`,
  check(row, report) {
    const width = numberOf(row, 'width');
    const height = numberOf(row, 'height');
    if (row.model !== GAMMA || width === undefined || height === undefined) return;
    if (GAMMA_SIZES.some(([w, h]) => w === width && h === height)) return;
    const nearest = nearestGammaSize(width, height);
    report.problem(
      row,
      'B19',
      'width',
      `width and height ${width}x${height}: gamma renders only: ${GAMMA_LIST}; nearest ${nearest}`,
    );
  },
};

function nearestGammaSize(width: number, height: number): string {
  let best = '';
  let distanceMin = Number.POSITIVE_INFINITY;
  for (const [w, h] of GAMMA_SIZES) {
    const distance = (w - width) ** 2 + (h - height) ** 2;
    if (distance < distanceMin) {
      distanceMin = distance;
      best = `${w}x${h}`;
    }
  }
  return best;
}

const modelOnly: Check = {
  rule: 'tier is not for delta; steps is for delta and gamma only; true_cfg_scale for gamma only; prompt_expansion for delta only',
  check(row, report) {
    if (row.model === '') return;
    if (has(row, 'tier') && row.model === DELTA) {
      report.problem(row, 'B20', 'tier', "delta takes 'steps', not 'tier'");
    }
    if (has(row, 'steps') && row.model !== DELTA && row.model !== GAMMA) {
      report.problem(row, 'B21', 'steps', `steps is for delta and gamma only, not for ${row.model}`);
    }
    if (has(row, 'true_cfg_scale') && row.model !== GAMMA) {
      report.problem(row, 'B25', 'true_cfg_scale', `true_cfg_scale is for gamma only, not for ${row.model}`);
    }
    if (has(row, 'prompt_expansion') && row.model !== DELTA) {
      report.problem(row, 'B25', 'prompt_expansion', `prompt_expansion is for delta only, not for ${row.model}`);
    }
  },
};

export const svcImage: KindRules = {
  path: '/v1/images/generations',
  source: 'service document 1, POST /v1/images/generations',
  summary: 'An image from a text.',
  columns: [
    { name: 'model', type: 'choice', choices: MODELS, required: true, code: 'B13', help: 'Which model renders.' },
    { name: 'prompt', type: 'text', required: true, help: 'What the image shows.' },
    {
      name: 'tier',
      type: 'choice',
      choices: ['radical_speed', 'radical_value'],
      help: 'Speed or price; alpha, beta and gamma only.',
    },
    { name: 'width', type: 'integer', min: 1, max: 8192, code: 'B17', help: 'Pixels; goes with height.' },
    { name: 'height', type: 'integer', min: 1, max: 8192, code: 'B17', help: 'Pixels; goes with width.' },
    {
      name: 'steps',
      type: 'integer',
      min: 1,
      max: 50,
      code: 'B21',
      help: 'Delta (12 Turbo, 20 Balanced, 48 Quality; default 48) and gamma (default 50) only.',
    },
    {
      name: 'true_cfg_scale',
      type: 'decimal',
      min: 0,
      max: 20,
      code: 'B62',
      help: 'Gamma only: higher follows the prompt more closely; default 5.',
    },
    {
      name: 'prompt_expansion',
      type: 'choice',
      choices: ['off', 'standard'],
      help: 'Delta only: standard has the prompt rewritten first.',
    },
    { name: 'seed', type: 'integer', help: 'The same seed with the same values gives the same image.' },
  ],
  checks: [sizeTogether, sizeRequired, deltaSize, gammaSize, modelOnly],
  documentedFields: settled(
    'model',
    'prompt',
    'tier',
    'width',
    'height',
    'steps',
    'true_cfg_scale',
    'prompt_expansion',
    'n',
    'response_format',
    'seed',
  ),
  costNotes({ model, cells }) {
    if (model !== DELTA || cells.steps !== undefined) return [];
    return ['delta without steps runs 48 steps, billed as Quality; 12 is Turbo, 20 is Balanced'];
  },
  problems: {
    B15: 'The size is missing on a model that has no default.',
    B17: 'A size is outside 1-8192.',
    B18: 'The size is not one that the delta model renders.',
    B19: 'The size is not one that the gamma model renders.',
    B20: 'The delta model takes steps, not a tier.',
    B21: 'The step count is out of range or not for this model.',
  },
  samples: [
    { model: 'svc-alpha.2-klein-4b', prompt: 'a lighthouse at dawn, film grain', width: '1024', height: '1024' },
    { model: GAMMA, prompt: 'a harbour in rain', width: '2560', height: '1440', steps: '50', true_cfg_scale: '5' },
    { model: DELTA, prompt: 'a poster with the words OPEN LATE', steps: '20', prompt_expansion: 'standard', seed: '7' },
  ],
};
