import type { RuleCase } from '../support.js';

/** Document 1: images, edits, clips and animations. */
const image = { model: 'svc-alpha.2-klein-4b', prompt: 'a fox', width: '1024', height: '1024' };
const delta = { model: 'svc-delta-4', prompt: 'a fox', width: '1024', height: '1024' };
const gamma = { model: 'svc-gamma-o1-image', prompt: 'a fox', width: '1024', height: '1024' };
const edit = {
  model: 'svc-beta-image-edit-2511',
  image: 'https://media.example/a.png',
  prompt: 'brighter',
  width: '64',
  height: '64',
};
const clip = { model: 'svc-epsilon-2.5-video', prompt: 'a tram' };
const animation = { ...clip, image: 'https://media.example/a.png' };

const images: RuleCase[] = [
  {
    rule: 'B13: model is one of six (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    base: image,
    good: [
      'svc-alpha.2-klein-4b',
      'svc-alpha.2-klein-9b',
      'svc-alpha.1-schnell',
      'svc-beta-image-2512',
      'svc-gamma-o1-image',
      'svc-delta-4',
    ].map((model) => ({ model })),
    bad: ['svc-delta-5', 'SVC-DELTA-4', 'svc-beta-image-edit-2511', 'svc-epsilon-2.5-video'].map((model) => ({
      change: { model },
      code: 'B13',
      says: /^unknown model '.*'; known: svc-alpha\.2-klein-4b, .*svc-delta-4$/,
    })),
  },
  {
    rule: 'B59: model and prompt are required (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    base: image,
    bad: [
      { change: { model: '' }, code: 'B59', says: /model is required/ },
      { change: { prompt: '' }, code: 'B59', says: /prompt is required/ },
      { change: { prompt: '  ' }, code: 'B59', says: /prompt has only blanks/ },
    ],
  },
  {
    rule: 'B58: tier is radical_speed or radical_value (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    base: image,
    good: [{ tier: 'radical_speed' }, { tier: 'radical_value' }, { tier: '' }],
    bad: [{ change: { tier: 'fast' }, code: 'B58', says: /tier must be radical_speed or radical_value, got 'fast'/ }],
  },
  {
    rule: 'B17: width and height are 1-8192 (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    base: image,
    good: [{ width: '1' }, { width: '8192' }, { height: '1' }, { height: '8192' }],
    bad: [
      { change: { width: '0' }, code: 'B17', says: /width must be 1-8192/ },
      { change: { width: '8193' }, code: 'B17', says: /width must be 1-8192/ },
      { change: { width: '-1' }, code: 'B17', says: /width must be 1-8192/ },
      { change: { height: '0' }, code: 'B17', says: /height must be 1-8192/ },
      { change: { height: '8193' }, code: 'B17', says: /height must be 1-8192/ },
    ],
  },
  {
    rule: 'B16: integers are plain (service document 1, Dimension rules)',
    kind: 'svc/image',
    base: image,
    bad: ['1024.0', '1e3', '١٠٢٤', ' 1024 ', '+1024', '0x400', '1_024', '1,024', '01024', '１０２４', 'NaN', '-'].map(
      (width) => ({ change: { width }, code: 'B16', says: /width must be a plain integer \(1-8192\), got '/ }),
    ),
  },
  {
    rule: 'B14: width and height go together (service document 1, Dimension rules 1)',
    kind: 'svc/image',
    base: image,
    bad: [
      { change: { height: '' }, code: 'B14', says: /width and height go together/, at: 'width' },
      { change: { width: '' }, code: 'B14', says: /width and height go together/, at: 'height' },
    ],
  },
  {
    rule: 'B15: models priced per megapixel need a size (service document 1, Dimension rules 2)',
    kind: 'svc/image',
    base: { ...image, width: '', height: '' },
    good: [{ model: 'svc-delta-4' }],
    bad: [
      'svc-alpha.2-klein-4b',
      'svc-alpha.2-klein-9b',
      'svc-alpha.1-schnell',
      'svc-beta-image-2512',
      'svc-gamma-o1-image',
    ].map((model) => ({
      change: { model },
      code: 'B15',
      says: /needs width and height; there is no default/,
      at: 'width',
    })),
  },
  {
    rule: 'B18: delta sizes are 1024-2048 in steps of 16 (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    base: delta,
    good: [{ width: '1024' }, { width: '1040' }, { width: '2048', height: '2048' }, { width: '', height: '' }],
    bad: [
      { change: { width: '1030' }, code: 'B18', says: /delta sizes are 1024-2048 in steps of 16/ },
      { change: { width: '1008' }, code: 'B18', says: /delta sizes are 1024-2048 in steps of 16/ },
      { change: { width: '2064' }, code: 'B18', says: /delta sizes are 1024-2048 in steps of 16/ },
      { change: { height: '1023' }, code: 'B18', says: /delta sizes are 1024-2048 in steps of 16/ },
    ],
  },
  {
    rule: 'B19: gamma renders twelve sizes (service document 1, Dimension rules 4)',
    kind: 'svc/image',
    base: gamma,
    good: (
      '1024x1024 2048x2048 2304x1728 1728x2304 2560x1440 1440x2560 2496x1664 1664x2496 3104x1312 1312x3104 ' +
      '2304x1792 1792x2304'
    )
      .split(' ')
      .map((size) => ({ width: size.split('x')[0], height: size.split('x')[1] })),
    bad: [
      { change: { width: '1025' }, code: 'B19', says: /gamma renders only: 1024x1024, 2048x2048.*nearest 1024x1024/ },
      { change: { width: '2000', height: '2000' }, code: 'B19', says: /nearest 2048x2048/ },
      { change: { width: '3104', height: '1313' }, code: 'B19', says: /nearest 3104x1312/ },
    ],
  },
  {
    rule: 'B20: tier is not for delta (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    base: delta,
    bad: [{ change: { tier: 'radical_speed' }, code: 'B20', says: /delta takes 'steps', not 'tier'/ }],
  },
  {
    rule: 'B21: steps is 1-50, delta and gamma only (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    base: delta,
    good: [{ steps: '1' }, { steps: '50' }, { steps: '12' }, { model: 'svc-gamma-o1-image', steps: '50' }],
    bad: [
      { change: { steps: '0' }, code: 'B21', says: /steps must be 1-50/ },
      { change: { steps: '51' }, code: 'B21', says: /steps must be 1-50/ },
      { change: { steps: '2.5' }, code: 'B16', says: /steps must be a plain integer \(1-50\)/ },
      ...['svc-alpha.2-klein-4b', 'svc-beta-image-2512'].map((model) => ({
        change: { steps: '12', model },
        code: 'B21',
        says: /steps is for delta and gamma only/,
      })),
    ],
  },
  {
    rule: 'B62: true_cfg_scale is 0.0-20.0, gamma only (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    base: gamma,
    good: [{ true_cfg_scale: '0' }, { true_cfg_scale: '0.0' }, { true_cfg_scale: '20.0' }, { true_cfg_scale: '2.5' }],
    bad: [
      { change: { true_cfg_scale: '20.1' }, code: 'B62', says: /true_cfg_scale must be 0-20/ },
      { change: { true_cfg_scale: '-0.1' }, code: 'B62', says: /true_cfg_scale must be 0-20/ },
      { change: { true_cfg_scale: '1e1' }, code: 'B16', says: /plain decimal \(0-20\)/ },
      { change: { true_cfg_scale: '5.' }, code: 'B16', says: /plain decimal/ },
      { change: { true_cfg_scale: '.5' }, code: 'B16', says: /plain decimal/ },
      { change: { true_cfg_scale: '1.2.3' }, code: 'B16', says: /plain decimal/ },
      {
        change: { true_cfg_scale: '5', model: 'svc-beta-image-2512' },
        code: 'B25',
        says: /true_cfg_scale is for gamma only/,
      },
    ],
  },
  {
    rule: 'B25: prompt_expansion is off or standard, delta only (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    base: delta,
    good: [{ prompt_expansion: 'off' }, { prompt_expansion: 'standard' }],
    bad: [
      { change: { prompt_expansion: 'on' }, code: 'B58', says: /prompt_expansion must be off or standard/ },
      {
        change: { prompt_expansion: 'off', model: 'svc-alpha.1-schnell' },
        code: 'B25',
        says: /prompt_expansion is for delta only/,
      },
    ],
  },
  {
    rule: 'B16: seed is an integer that can be sent exactly (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    base: image,
    good: [{ seed: '0' }, { seed: '9007199254740991' }, { seed: '-1' }],
    bad: [
      { change: { seed: '9007199254740992' }, code: 'B16', says: /too large to be sent exactly/ },
      { change: { seed: 'abc' }, code: 'B16', says: /seed must be a plain integer, got 'abc'/ },
    ],
  },
];

const edits: RuleCase[] = [
  {
    rule: 'B13: model is one of three (service document 1, POST /v1/images/edits)',
    kind: 'svc/edit',
    base: edit,
    good: ['svc-alpha.2-klein-4b-edit', 'svc-alpha.2-klein-9b-edit', 'svc-beta-image-edit-2511'].map((model) => ({
      model,
    })),
    bad: [{ change: { model: 'svc-beta-image-2512' }, code: 'B13', says: /known: svc-alpha\.2-klein-4b-edit/ }],
  },
  {
    rule: 'B59: model, image and prompt are required (service document 1, POST /v1/images/edits)',
    kind: 'svc/edit',
    base: edit,
    bad: ['model', 'image', 'prompt'].map((name) => ({
      change: { [name]: '' },
      code: 'B59',
      says: new RegExp(`${name} is required`),
    })),
  },
  {
    rule: 'B15: the size is required, the source size is no default (service document 1, POST /v1/images/edits)',
    kind: 'svc/edit',
    base: edit,
    good: [{ width: '1', height: '8192' }],
    bad: [
      { change: { width: '', height: '' }, code: 'B15', says: /width and height are required; the size of the source/ },
      { change: { width: '' }, code: 'B14', says: /width and height go together/, at: 'height' },
      { change: { width: '8193' }, code: 'B17', says: /1-8192/ },
      { change: { height: '0' }, code: 'B17', says: /1-8192/ },
    ],
  },
  {
    rule: 'B58: tier (service document 1, POST /v1/images/edits)',
    kind: 'svc/edit',
    base: edit,
    good: [{ tier: 'radical_value' }],
    bad: [{ change: { tier: 'Turbo' }, code: 'B58', says: /radical_speed or radical_value/ }],
  },
  {
    rule: 'B25: an edit takes no steps (service document 1, POST /v1/images/edits)',
    kind: 'svc/edit',
    base: edit,
    bad: [{ change: { steps: '12' }, code: 'B25', says: /svc\/edit does not take 'steps'; it takes: model, image/ }],
  },
];

const clips: RuleCase[] = (['svc/clip', 'svc/animation'] as const).flatMap((kind): RuleCase[] => {
  const base = kind === 'svc/clip' ? clip : animation;
  const place = `(service document 1, POST /v1/video/${kind === 'svc/clip' ? 'generations' : 'animations'})`;
  return [
    {
      rule: `B13: model is one of two ${place}`,
      kind,
      base,
      good: [{ model: 'svc-epsilon-2.5-video' }, { model: 'svc-epsilon-2.3-video' }],
      bad: [{ change: { model: 'svc-epsilon-2.4-video' }, code: 'B13', says: /known: svc-epsilon-2\.5-video/ }],
    },
    {
      rule: `B23: the size is 1920x1080 or 1280x720 ${place}`,
      kind,
      base,
      good: [{ width: '1920', height: '1080' }, { width: '1280', height: '720' }, {}],
      bad: [
        { change: { width: '1920', height: '720' }, code: 'B23', says: /1920x1080 or 1280x720/ },
        { change: { width: '1280', height: '1080' }, code: 'B23', says: /1920x1080 or 1280x720/ },
        { change: { width: '1921', height: '1080' }, code: 'B23', says: /width .*1920x1080 or 1280x720/ },
        { change: { width: '1920' }, code: 'B14', says: /go together/ },
      ],
    },
    {
      rule: `B24: duration is 1-8 seconds ${place}`,
      kind,
      base,
      good: [{ duration: '1' }, { duration: '8' }, { duration: '2.5' }, { duration: '7.999' }],
      bad: ['0', '0.9', '8.1', '9', '5s', '', '1e0'].flatMap((duration) =>
        duration === '' ? [] : [{ change: { duration }, code: 'B24', says: /duration must be .*1-8 seconds/ }],
      ),
    },
    {
      rule: `B58: audio is true or false ${place}`,
      kind,
      base,
      good: [{ audio: 'true' }, { audio: 'false' }],
      bad: ['on', 'True', '1', 'yes'].map((audio) => ({
        change: { audio },
        code: 'B58',
        says: /audio must be true or false/,
      })),
    },
    {
      rule: `B25: no tier, steps, guidance_scale, negative_prompt, num_frames ${place}`,
      kind,
      base,
      bad: ['tier', 'steps', 'guidance_scale', 'negative_prompt', 'num_frames'].map((name) => ({
        change: { [name]: '5' },
        code: 'B25',
        says: new RegExp(`${kind} does not take '${name}'; it takes: model, `),
      })),
    },
    {
      rule: `B59: prompt is required ${place}`,
      kind,
      base,
      bad: [{ change: { prompt: '' }, code: 'B59', says: /prompt is required/ }],
    },
  ];
});

const animations: RuleCase[] = [
  {
    rule: 'B59: image is required (service document 1, POST /v1/video/animations)',
    kind: 'svc/animation',
    base: animation,
    bad: [{ change: { image: '' }, code: 'B59', says: /image is required/ }],
  },
  {
    rule: 'B44: image URLs are https (service document 1, POST /v1/video/animations)',
    kind: 'svc/animation',
    base: animation,
    good: [{ image: 'https://media.example/a.jpg' }],
    bad: [{ change: { image: 'http://media.example/a.jpg' }, code: 'B44', says: /public https URL/ }],
  },
  {
    rule: 'B45: PNG or JPEG by name (service document 1, POST /v1/video/animations)',
    kind: 'svc/animation',
    base: animation,
    good: [{ image: 'https://media.example/a.png?x=1' }, { image: 'https://media.example/picture' }],
    bad: [{ change: { image: 'https://media.example/a.webp' }, code: 'B45', says: /WEBP, needs PNG or JPEG/ }],
  },
];

export const SVC_RULES: readonly RuleCase[] = [...images, ...edits, ...clips, ...animations];
