/** POST /v1/images/edits: image editing, synchronous (service document 1). */
import { createHash } from 'node:crypto';
import { decodeDataUri, fetchMedia } from '../media/input-media.js';
import { type ImageLimits, imageProblem, MEGABYTE } from '../media/media-limits.js';
import { codedError, engineError, invalid } from '../model/errors.js';
import { micro } from '../model/prices.js';
import { generate } from '../model/sync-calls.js';
import { type Answer, type Call, post, type Route } from '../model/world.js';
import { fieldsOf } from './checks.js';
import {
  checkCount,
  fileAnswer,
  IMAGE_LIFE_SECONDS,
  megapixelsOf,
  RESPONSE_FORMATS,
  readSize,
  TIERS,
} from './svc-images.js';

const MODELS = ['svc-alpha.2-klein-4b-edit', 'svc-alpha.2-klein-9b-edit', 'svc-beta-image-edit-2511'] as const;

const SOURCE_LIMITS: ImageLimits = {
  formats: ['png', 'jpeg', 'webp'],
  bytesMax: 10 * MEGABYTE,
  sideMin: 64,
  ratioMin: 1 / 8,
  ratioMax: 8,
};

export const SVC_EDIT_ROUTES: readonly Route[] = [post('/v1/images/edits', ['svc.edit', 'svc/edit'], editImage)];

async function editImage(call: Call): Promise<Answer> {
  const body = fieldsOf(call.body);
  const model = body.needOneOf('model', MODELS);
  const source = body.needString('url');
  const prompt = body.needString('prompt');
  const tier = body.oneOf('tier', TIERS) ?? 'radical_speed';
  checkCount(body);
  body.oneOf('response_format', RESPONSE_FORMATS);
  const seed = body.integer('seed') ?? call.random.whole(0, 2 ** 31 - 1);
  const size = readSize(body);
  if (size === undefined) throw invalid("'width' and 'height' are required: the source size is not used as a default.");
  await checkSource(source, call.world.options.assumptions.megabyteBytes);
  const sourceHash = createHash('sha256').update(source).digest('hex');
  const result = await generate(call, {
    family: 'svc/edit',
    facts: { kind: 'svc/edit', model, tier },
    quantities: { request: micro(1), image: micro(1), megapixel: megapixelsOf(call, size.width, size.height) },
    spec: {
      type: 'png',
      ...size,
      look: [model, tier, prompt, sourceHash, seed].join('\n'),
      tag: `model=${model} seed=${seed}`,
    },
    outputLifeSeconds: IMAGE_LIFE_SECONDS,
  });
  return fileAnswer(call, result, {}, { model });
}

/** The source is really read: a data URI as it stands, a URL by fetching it; every refusal is `engine_error`. */
async function checkSource(source: string, megabyteBytes: number): Promise<void> {
  const inline = decodeDataUri(source);
  if (inline !== undefined) return refuseProblem(imageProblem(inline.bytes, SOURCE_LIMITS, megabyteBytes));
  if (source.startsWith('data:')) throw engineError('The source image is not a base64 data URI.');
  const fetched = await fetchMedia(source, SOURCE_LIMITS.bytesMax);
  if (fetched.kind === 'failed' && fetched.isTimeout) {
    throw codedError(
      504,
      'engine_timeout',
      'The source image could not be fetched in time; send a data URI or a faster URL.',
    );
  }
  if (fetched.kind === 'failed') throw engineError(`The source image ${fetched.reason}.`);
  if (fetched.kind === 'loaded') refuseProblem(imageProblem(fetched.bytes, SOURCE_LIMITS, megabyteBytes));
}

function refuseProblem(problem: string | undefined): void {
  if (problem !== undefined) throw engineError(`The source image ${problem}.`);
}
