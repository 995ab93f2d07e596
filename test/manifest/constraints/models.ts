/** The limits that the documents give per model and mode, each on both sides of each model's own edge. */
import type { Kind } from '../../../src/domain/kind.js';
import type { Cells, RuleCase } from '../support.js';

const IMAGE = 'https://media.example/a.png';
const DOCUMENT_1 = '(service document 1, Limits)';
const ROUTE = '(service document 2, Shared route)';
const list = (count: number): string => Array(count).fill(IMAGE).join('|');

/** Both ends of a whole range, and the next value beyond each. */
function range(
  rule: string,
  kind: Kind,
  base: Cells,
  column: string,
  [min, max]: [number, number],
  code: string,
  says: RegExp,
): RuleCase {
  const cell = (value: number): Cells => ({ [column]: String(value) });
  return {
    rule: `${code}: ${rule}`,
    kind,
    base,
    good: [cell(min), cell(max)],
    bad: [min - 1, max + 1].map((value) => ({ change: cell(value), code, says })),
  };
}

const megapixel = ['svc-alpha.2-klein-9b', 'svc-alpha.1-schnell', 'svc-beta-image-2512'].flatMap((model) =>
  ['width', 'height'].map((column) => {
    const base = { model, prompt: 'a fox', width: '512', height: '512' };
    return range(
      `${model} ${column} 1-8192 ${DOCUMENT_1}`,
      'svc/image',
      base,
      column,
      [1, 8192],
      'B17',
      /must be 1-8192/,
    );
  }),
);

const editSizes = ['svc-alpha.2-klein-4b-edit', 'svc-alpha.2-klein-9b-edit', 'svc-beta-image-edit-2511'].flatMap(
  (model) =>
    ['width', 'height'].map((column) => {
      const base = { model, image: IMAGE, prompt: 'brighter', width: '512', height: '512' };
      return range(
        `${model} ${column} 1-8192 ${DOCUMENT_1}`,
        'svc/edit',
        base,
        column,
        [1, 8192],
        'B17',
        /must be 1-8192/,
      );
    }),
);

const steps = ['svc-delta-4', 'svc-gamma-o1-image'].map((model) => {
  const base = { model, prompt: 'a fox', width: '1024', height: '1024' };
  return range(`${model} steps 1-50 ${DOCUMENT_1}`, 'svc/image', base, 'steps', [1, 50], 'B21', /steps must be 1-50/);
});

const delta: RuleCase = {
  rule: `B18: both sides of delta are 1024-2048 in steps of 16 ${DOCUMENT_1}`,
  kind: 'svc/image',
  base: { model: 'svc-delta-4', prompt: 'a fox', width: '1024', height: '1024' },
  good: [{ height: '1024' }, { height: '1040' }, { height: '2048' }],
  bad: ['1008', '1041', '2064'].map((height) => ({
    change: { height },
    code: 'B18',
    says: /delta sizes are 1024-2048 in steps of 16/,
  })),
};

const clips = ['svc-epsilon-2.5-video', 'svc-epsilon-2.3-video'].flatMap((model) =>
  (['svc/clip', 'svc/animation'] as const).map((kind) => {
    const base = { model, prompt: 'a tram', ...(kind === 'svc/animation' ? { image: IMAGE } : {}) };
    return range(
      `${model} 1-8 s ${DOCUMENT_1}`,
      kind,
      base,
      'duration',
      [1, 8],
      'B24',
      /duration must be .*1-8 seconds/,
    );
  }),
);

const motion = ['std', 'pro'].flatMap((mode) =>
  ['image', 'video'].map((orientation) => {
    const image = orientation === 'image' ? IMAGE : 'https://media.example/a.mp4';
    const base = { image, video: 'https://media.example/b.mp4', character_orientation: orientation, mode };
    const rule = `${mode}, ${orientation}: input_video_seconds 1-10 (service document 2, Multi-mode video)`;
    const says = /input_video_seconds must be 1-10/;
    return range(rule, 'vendor-a/motion-control', base, 'input_video_seconds', [1, 10], 'B28', says);
  }),
);

const modes = ['std', 'pro', '4k'].flatMap((mode) =>
  (['vendor-a/text2video', 'vendor-a/image2video', 'vendor-a/omni-video'] as const).map((kind) => {
    const media = {
      'vendor-a/text2video': {},
      'vendor-a/image2video': { image: IMAGE },
      'vendor-a/omni-video': { images: IMAGE },
    };
    const base = { prompt: 'a boat', mode, ...media[kind] };
    const rule = `${mode}: 3-15 s (service document 2, Multi-mode video)`;
    return range(rule, kind, base, 'duration', [3, 15], 'B27', /duration must be 3-15 \(sent as a string\)/);
  }),
);

/** Model, its media, its seconds, whether it renders 480P, and how many references it takes (none: no such column). */
const SHARED: [
  kind: Kind,
  model: string,
  media: Cells,
  seconds: [number, number],
  has480: boolean,
  references?: number,
][] = [
  ['vendor-c/video', 'vendor-c-3.0-video-prime', {}, [2, 30], true, 10],
  ['vendor-c/video', 'vendor-c-2.7-i2v', { first_frame: IMAGE }, [2, 15], false],
  ['vendor-c/video', 'vendor-c-2.7-r2v', { reference_images: IMAGE }, [2, 15], false],
  ['vendor-g/video', 'vendor-g-1.1-i2v', { first_frame: IMAGE }, [3, 15], true],
  ['vendor-g/video', 'vendor-g-1.1-r2v', { reference_images: IMAGE }, [3, 15], true, 9],
  ['vendor-g/video', 'vendor-g-1.0-i2v', { first_frame: IMAGE }, [3, 15], false],
];

const shared = SHARED.flatMap(([kind, model, media, seconds, has480, references]): RuleCase[] => {
  const base = { model, prompt: 'a market', ...media };
  const offered = {
    change: { resolution: has480 ? '4K' : '480P' },
    says: has480 ? /480P, 720P or 1080P/ : /480P is not offered/,
  };
  const code = kind === 'vendor-c/video' ? 'B37' : 'B36';
  const cases: RuleCase[] = [
    range(
      `${model} seconds ${ROUTE}`,
      kind,
      base,
      'duration',
      seconds,
      kind === 'vendor-c/video' ? 'B37' : 'B62',
      /duration must be/,
    ),
    {
      rule: `${model} resolutions ${ROUTE}`,
      kind,
      base,
      good: [{ resolution: has480 ? '480P' : '720P' }],
      bad: [{ ...offered, code }],
    },
  ];
  if (references === undefined) return cases;
  const [most, more] = [references, references + 1].map((count) => ({ reference_images: list(count) }));
  const says = new RegExp(`at most ${references} references .* got ${references + 1}`);
  if (most && more)
    cases.push({
      rule: `${model} references ${ROUTE}`,
      kind,
      base,
      good: [most],
      bad: [{ change: more, code: 'B36', says }],
    });
  return cases;
});

const films = ['fast-generate', 'lite-generate'].map(
  (grade): RuleCase => ({
    rule: `B41: ${grade} renders 4, 6 or 8 s (service document 2, vendor-f submit body)`,
    kind: 'vendor-f/video',
    base: { model: `vendor-f-3.1-${grade}-preview`, prompt: 'waves' },
    good: ['4', '6', '8'].map((duration) => ({ duration })),
    bad: ['3', '5', '7', '9'].map((duration) => ({ change: { duration }, code: 'B41', says: /4, 6 or 8 seconds/ })),
  }),
);

const long = { prompt: 'x'.repeat(20_000) };
const prompts = (
  [
    ['svc/image', { model: 'svc-delta-4' }],
    ['vendor-c/video', { model: 'vendor-c-3.0-video' }],
    ['vendor-g/video', { model: 'vendor-g-1.1-t2v' }],
    ['vendor-d/video', {}],
    ['vendor-f/video', { model: 'vendor-f-3.1-generate-preview' }],
  ] as const
).map(
  ([kind, base]): RuleCase => ({
    rule: 'B26: no length of a prompt is assumed where none is documented (service document 2, Limits)',
    kind,
    base,
    good: [long],
  }),
);

export const MODEL_RULES: readonly RuleCase[] = [
  ...[...megapixel, ...editSizes, ...steps, delta, ...clips, ...motion, ...modes, ...shared, ...films, ...prompts],
];
