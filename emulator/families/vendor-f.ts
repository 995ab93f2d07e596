/** Operations under /v1/vendor-f/v1beta (service document 2, `vendor-f`), and the synchronous image route (document 1). */
import { decodeBase64 } from '../media/input-media.js';
import { imageFacts } from '../media/media-facts.js';
import { FRAME_RATE, nearestSize } from '../media/media-mp4.js';
import { invalid } from '../model/errors.js';
import { submitJob } from '../model/jobs.js';
import { micro } from '../model/prices.js';
import { ALPHABET_URL_SAFE } from '../model/random.js';
import { generate } from '../model/sync-calls.js';
import { type Answer, type Call, get, ok, post, type Route } from '../model/world.js';
import { type Fields, fieldsOf } from './checks.js';
import { pollJob } from './polls.js';
import { megapixelsOf } from './svc-images.js';

/** The model ids that stand in the path of a submit. */
export const MODELS = [
  'vendor-f-3.1-generate-preview',
  'vendor-f-3.1-fast-generate-preview',
  'vendor-f-3.1-lite-generate-preview',
] as const;
const LITE = 'vendor-f-3.1-lite-generate-preview';
const RESOLUTIONS = ['720p', '1080p', '4k'] as const;
const SHORT_SIDES = { '720p': 720, '1080p': 1080, '4k': 2160 } as const;
const DURATIONS = [4, 6, 8];
const DURATION_DEFAULT = 8;
/** "expires about one hour after completion" */
const OUTPUT_LIFE_SECONDS = 3600;
const WIDE = 16 / 9;
const SIDE = 1024;
const MODEL_UNNAMED = 'vendor-f-interaction';
const FILE_LIFE_SECONDS = 7 * 24 * 3600;

export const VENDOR_F_ROUTES: readonly Route[] = [
  post('/v1/vendor-f/v1beta/interactions', ['vendor-f.interaction', 'vendor-f/interaction'], interact),
  post('/v1/vendor-f/v1beta/models/{model}:predictLongRunning', ['vendor-f.submit', 'vendor-f/video'], submit),
  get('/v1/vendor-f/v1beta/operations/{handle}', ['vendor-f.poll'], poll),
];

function submit(call: Call): Answer {
  const model = MODELS.find((known) => known === call.params.model);
  if (model === undefined) {
    throw invalid(`Unknown model '${call.params.model ?? ''}'; allowed: ${MODELS.join(', ')}.`);
  }
  const body = fieldsOf(call.body);
  const ratio = checkInstance(body);
  const parameters = body.object('parameters') ?? fieldsOf({}, 'parameters.');
  const resolution = parameters.oneOf('resolution', RESOLUTIONS) ?? '720p';
  if (resolution === '4k' && model === LITE) throw invalid("'4k' is not available on the lite tier.");
  const seconds = parameters.integer('durationSeconds') ?? DURATION_DEFAULT;
  if (!DURATIONS.includes(seconds)) throw invalid(`'parameters.durationSeconds' must be 4, 6 or 8; got ${seconds}.`);
  const size = nearestSize(SHORT_SIDES[resolution], ratio);
  const job = submitJob(call, {
    family: 'vendor-f',
    facts: { kind: 'vendor-f/video', model, resolution },
    quantities: { request: micro(1), second: micro(seconds) },
    renderSeconds: call.world.options.assumptions.renderSeconds['vendor-f'],
    // Every tier generates native audio.
    spec: (tag) => ({ type: 'mp4', ...size, frames: seconds * FRAME_RATE, audio: true, tag }),
    outputLifeSeconds: OUTPUT_LIFE_SECONDS,
    makeHandle: (random) => random.text(random.whole(254, 268), ALPHABET_URL_SAFE),
  });
  return ok({ name: job.handle }, job.handle);
}

/** Checks the single instance; returns the shape of the clip, which for image-to-video follows the image. */
function checkInstance(body: Fields): number {
  const instances = body.objects('instances');
  const instance = instances?.[0];
  if (instances?.length !== 1 || instance === undefined) throw invalid("'instances' must hold a single instance.");
  instance.needString('prompt');
  const image = instance.object('image');
  if (image === undefined) return WIDE;
  image.refuse(['inlineData'], "is not used: send 'bytesBase64Encoded' and 'mimeType'.");
  const text = image.needString('bytesBase64Encoded');
  const mimeType = image.needString('mimeType');
  if (!/^image\/[\w.+-]+$/.test(mimeType)) throw invalid("'image.mimeType' must be an image type such as image/png.");
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw invalid("'image.bytesBase64Encoded' must be base64 without a data: prefix.");
  const facts = imageFacts(bytes);
  if (facts === undefined) throw invalid("'image.bytesBase64Encoded' is not an image.");
  return facts.width >= facts.height ? WIDE : 1 / WIDE;
}

async function poll(call: Call): Promise<Answer> {
  const view = await pollJob(call, { families: ['vendor-f'] });
  const { state, job, url, message } = view;
  const name = job.handle;
  // This family has no status words; a word that a fault asks for stands where a stranger might put one.
  if (view.word !== undefined) return ok({ name, done: false, metadata: { state: view.word } });
  if (state === 'queued' || state === 'running') return ok({ name, done: false });
  if (state !== 'succeeded') return ok({ name, done: true, error: { code: 13, message } });
  const generatedSamples = [{ video: { uri: url } }];
  return ok({ name, done: true, response: { generateVideoResponse: { generatedSamples } } });
}

/** The layout of the request is not shown, so any JSON object is accepted; the answer carries one image as base64. */
async function interact(call: Call): Promise<Answer> {
  const model = typeof call.body.model === 'string' ? call.body.model : MODEL_UNNAMED;
  const result = await generate(call, {
    family: 'vendor-f/interaction',
    facts: { kind: 'vendor-f/interaction', model },
    quantities: { request: micro(1), image: micro(1), megapixel: megapixelsOf(call, SIDE, SIDE) },
    spec: { type: 'png', width: SIDE, height: SIDE, look: call.bodyHash, tag: call.requestId },
    outputLifeSeconds: FILE_LIFE_SECONDS,
    holdsSlot: false,
  });
  const data = (await call.world.outputs.read(result.output)).toString('base64');
  return ok({
    id: result.record.id,
    status: 'completed',
    model,
    outputs: [{ type: 'image', mime_type: 'image/png', data }],
  });
}
