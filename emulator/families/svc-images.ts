/** POST /v1/images/generations: text-to-image, synchronous (service document 1). */

import { engineError, invalid } from '../model/errors.js';
import { micro } from '../model/prices.js';
import type { Random } from '../model/random.js';
import { generate, type SyncResult } from '../model/sync-calls.js';
import { type Answer, type Call, ok, post, type Route } from '../model/world.js';
import { type Fields, fieldsOf } from './checks.js';

const MODELS = [
  'svc-alpha.2-klein-4b',
  'svc-alpha.2-klein-9b',
  'svc-alpha.1-schnell',
  'svc-beta-image-2512',
  'svc-gamma-o1-image',
  'svc-delta-4',
] as const;
export const TIERS = ['radical_speed', 'radical_value'] as const;
export const RESPONSE_FORMATS = ['b64_json', 'url'] as const;
/** Generated images are kept for 7 days. */
export const IMAGE_LIFE_SECONDS = 7 * 24 * 3600;
const SIDE_MAX = 8192;
const DELTA = { min: 1024, max: 2048, step: 16, stepsDefault: 48 };
const GAMMA_STEPS_DEFAULT = 50;
const GAMMA_SIZES = [
  '1024x1024',
  '2048x2048',
  '2304x1728',
  '1728x2304',
  '2560x1440',
  '1440x2560',
  '2496x1664',
  '1664x2496',
  '3104x1312',
  '1312x3104',
  '2304x1792',
  '1792x2304',
];

export const SVC_IMAGE_ROUTES: readonly Route[] = [
  post('/v1/images/generations', ['svc.image', 'svc/image'], generateImage),
];

interface ImageSize {
  width: number;
  height: number;
}

/** Width and height, sent together, whole numbers from 1 to 8192; undefined when neither is sent. */
export function readSize(body: Fields): ImageSize | undefined {
  const width = body.integer('width', 1, SIDE_MAX);
  const height = body.integer('height', 1, SIDE_MAX);
  if (width === undefined && height === undefined) return undefined;
  if (width === undefined || height === undefined) throw invalid("'width' and 'height' must be sent together.");
  return { width, height };
}

/** Millionths of a megapixel. */
export function megapixelsOf({ world }: Call, width: number, height: number): number {
  return micro((width * height) / world.options.assumptions.megapixelPixels);
}

/** Refuses any `n` but 1. */
export function checkCount(body: Fields): void {
  const n = body.integer('n');
  if (n !== undefined && n !== 1) throw invalid("'n' must be 1: only one output per request is supported.");
}

/** The result of a synchronous call: its file as a URL or as base64, with what else is said of it and of the whole. */
export async function fileAnswer(call: Call, result: SyncResult, about: object, whole: object): Promise<Answer> {
  const { outputs } = call.world;
  const file =
    call.body.response_format === 'url'
      ? { url: outputs.url(result.output, result.output.expiresMs) }
      : { b64_json: (await outputs.read(result.output)).toString('base64') };
  const body = { created: Math.floor(result.createdMs / 1000), ...whole, data: [{ ...file, ...about }] };
  return ok(body, file.url ?? file.b64_json);
}

async function generateImage(call: Call): Promise<Answer> {
  const body = fieldsOf(call.body);
  const model = body.needOneOf('model', MODELS);
  const prompt = body.needString('prompt');
  checkCount(body);
  body.oneOf('response_format', RESPONSE_FORMATS);
  const seed = body.integer('seed') ?? call.random.whole(0, 2 ** 31 - 1);
  const settings = readSettings(body, model);
  const revised = settings.expands ? rewritten(prompt, call) : undefined;
  const { width, height } = settings.size;
  // The look follows from the prompt that is rendered, so a revised prompt sent again gives the same image.
  const look = [model, settings.tier, settings.steps, settings.scale, revised ?? prompt, seed].join('\n');
  const result = await generate(call, {
    family: 'svc/image',
    facts: {
      kind: 'svc/image',
      model,
      ...(model === 'svc-delta-4' ? {} : { tier: settings.tier }),
      ...(settings.steps === undefined ? {} : { steps: settings.steps }),
    },
    quantities: { request: micro(1), image: micro(1), megapixel: megapixelsOf(call, width, height) },
    spec: { type: 'png', width, height, look, tag: `model=${model} seed=${seed}` },
    outputLifeSeconds: IMAGE_LIFE_SECONDS,
  });
  return fileAnswer(call, result, { revised_prompt: revised }, { model });
}

interface Settings {
  size: ImageSize;
  tier: (typeof TIERS)[number];
  steps: number | undefined;
  scale: number | undefined;
  expands: boolean;
}

function readSettings(body: Fields, model: (typeof MODELS)[number]): Settings {
  const isDelta = model === 'svc-delta-4';
  const isGamma = model === 'svc-gamma-o1-image';
  if (isDelta) refuseField(body, 'tier', "is not taken by the delta model; 'steps' selects its tier.");
  if (!isDelta && !isGamma) refuseField(body, 'steps', 'is taken by the delta and gamma models only.');
  if (!isGamma) refuseField(body, 'true_cfg_scale', 'is taken by the gamma model only.');
  if (!isDelta) refuseField(body, 'prompt_expansion', 'is taken by the delta model only.');
  const tier = body.oneOf('tier', TIERS) ?? 'radical_speed';
  const steps =
    body.integer('steps', 1, 50) ?? (isDelta ? DELTA.stepsDefault : isGamma ? GAMMA_STEPS_DEFAULT : undefined);
  const scale = body.number('true_cfg_scale', 0, 20) ?? (isGamma ? 5 : undefined);
  const expands = body.oneOf('prompt_expansion', ['off', 'standard']) === 'standard';
  return { size: sizeOf(readSize(body), model), tier, steps, scale, expands };
}

/** "unaccepted field" is one of the cases of `engine_error` (service document 1, Errors). */
function refuseField(body: Fields, name: string, why: string): void {
  if (body.has(name)) throw engineError(`'${name}' ${why}`);
}

function sizeOf(size: ImageSize | undefined, model: (typeof MODELS)[number]): ImageSize {
  if (model === 'svc-delta-4') return deltaSize(size);
  if (size === undefined) throw invalid(`'width' and 'height' are required for '${model}': there is no default size.`);
  const text = `${size.width}x${size.height}`;
  if (model === 'svc-gamma-o1-image' && !GAMMA_SIZES.includes(text)) {
    throw engineError(`The model does not render ${text}; it renders ${GAMMA_SIZES.join(', ')}.`);
  }
  return size;
}

function deltaSize(size: ImageSize | undefined): ImageSize {
  if (size === undefined) return { width: DELTA.min, height: DELTA.min };
  for (const side of [size.width, size.height]) {
    if (side < DELTA.min || side > DELTA.max || side % DELTA.step !== 0) {
      throw engineError(
        `The model renders sides of ${DELTA.min} to ${DELTA.max} in steps of ${DELTA.step}, got ${side}.`,
      );
    }
  }
  return size;
}

const REWRITES = [
  'in soft morning light, with fine detail',
  'as a clean studio photograph with sharp lettering',
  'in a wide composition with balanced colours',
] as const;

/** The prompt as a language model rewrites it; undefined when the rewrite fails, and then the original is rendered. */
function rewritten(prompt: string, call: Call): string | undefined {
  const random: Random = call.random;
  const isFailed = random.next() < call.world.options.rewriteFailRate;
  const text = `${prompt.trim().replace(/\.$/, '')}, ${random.pick(REWRITES)}.`;
  return isFailed ? undefined : text;
}
