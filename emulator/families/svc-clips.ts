/** POST /v1/video/generations and /v1/video/animations with their aliases: short clips, synchronous (service document 1). */
import { createHash } from 'node:crypto';
import { decodeDataUri, fetchMedia, isHttpsOrLoopback } from '../media/input-media.js';
import { imageFacts } from '../media/media-facts.js';
import { MEGABYTE } from '../media/media-limits.js';
import { FRAME_RATE } from '../media/media-mp4.js';
import { framesOf } from '../media/outputs.js';
import { codedError, engineError, invalid, requestTooLarge } from '../model/errors.js';
import { micro } from '../model/prices.js';
import { createRandom } from '../model/random.js';
import { generate } from '../model/sync-calls.js';
import { type Answer, type Call, post, type Route } from '../model/world.js';
import { type Fields, fieldsOf } from './checks.js';
import { checkCount, fileAnswer, RESPONSE_FORMATS } from './svc-images.js';

const MODELS = ['svc-epsilon-2.5-video', 'svc-epsilon-2.3-video'] as const;
const UNACCEPTED = ['steps', 'guidance_scale', 'negative_prompt', 'num_frames'];
const SECONDS = { min: 1, max: 8, default: 6 };
const TIME_LIMIT_SECONDS = 120;
/** No limit is documented for the image: only the memory is spared. */
const IMAGE_BYTES_MAX = 256 * MEGABYTE;

export const SVC_CLIP_ROUTES: readonly Route[] = ['video', 'videos'].flatMap((folder): Route[] => [
  post(`/v1/${folder}/generations`, ['svc.clip', 'svc/clip'], (call) => renderClip(call, 'svc/clip', '')),
  post(`/v1/${folder}/animations`, ['svc.animation', 'svc/animation'], animate),
]);

async function animate(call: Call): Promise<Answer> {
  const image = readImage(fieldsOf(call.body));
  return renderClip(call, 'svc/animation', image);
}

async function renderClip(call: Call, kind: 'svc/clip' | 'svc/animation', image: string): Promise<Answer> {
  const body = fieldsOf(call.body);
  const model = body.needOneOf('model', MODELS);
  const prompt = body.needString('prompt');
  const form = readForm(body);
  if (kind === 'svc/animation') await checkImage(image);
  const seed = body.integer('seed') ?? call.random.whole(0, 2 ** 31 - 1);
  const { width, height, audio } = form;
  const what = createHash('sha256').update([prompt, image].join('\n')).digest('hex').slice(0, 16);
  const { assumptions } = call.world.options;
  // The length "may differ from the request by a fraction of a second"; the same seed gives the same length.
  const off = createRandom(seed, `frames ${model} ${what}`).between(-1, 1) * assumptions.clipFramesOff;
  const frames = Math.max(1, form.frames + Math.round(off));
  const result = await generate(call, {
    family: kind,
    facts: { kind, model, resolution: height === 1080 ? '1080p' : '720p', audio },
    quantities: { request: micro(1), second: micro(frames / FRAME_RATE) },
    // The seed is in the file and in the answer: sent again with the same request, it gives the same bytes.
    spec: { type: 'mp4', width, height, frames, audio, tag: `model=${model} seed=${seed} what=${what}` },
    outputLifeSeconds: assumptions.clipUrlSeconds,
    timeLimitSeconds: TIME_LIMIT_SECONDS,
  });
  const clip = { width, height, duration: frames / FRAME_RATE, frames, frame_rate: FRAME_RATE };
  return fileAnswer(call, result, clip, { model, tier: 'radical_speed', seed });
}

interface ClipForm {
  width: number;
  height: number;
  frames: number;
  audio: boolean;
}

function readForm(body: Fields): ClipForm {
  const unaccepted = UNACCEPTED.find((name) => body.has(name));
  if (unaccepted !== undefined) throw engineError(`'${unaccepted}' is not accepted by this model.`);
  if (body.has('tier') && body.raw.tier !== 'radical_speed') {
    throw codedError(400, 'invalid_request', "'tier' is not taken by video requests.");
  }
  const format = body.string('response_format') ?? 'b64_json';
  if (!RESPONSE_FORMATS.some((known) => known === format)) {
    throw codedError(400, 'unsupported_response_format', `'response_format' must be ${RESPONSE_FORMATS.join(' or ')}.`);
  }
  checkCount(body);
  const size = readClipSize(body);
  const seconds = body.number('duration') ?? SECONDS.default;
  if (seconds < SECONDS.min || seconds > SECONDS.max) {
    throw engineError(`The model renders ${SECONDS.min} to ${SECONDS.max} seconds, got ${seconds}.`);
  }
  const audio = body.object('extra')?.boolean('audio') ?? false;
  return { ...size, frames: framesOf(seconds), audio };
}

function readClipSize(body: Fields): { width: number; height: number } {
  const width = body.integer('width');
  const height = body.integer('height');
  if (width === undefined && height === undefined) return { width: 1920, height: 1080 };
  if (width === undefined || height === undefined) throw invalid("'width' and 'height' must be sent together.");
  if (width < 1 || height < 1) throw invalid("'width' and 'height' must be positive.");
  if (width > 1920 || height > 1080) throw requestTooLarge(`${width}x${height}`);
  const isKnown = (width === 1920 && height === 1080) || (width === 1280 && height === 720);
  if (!isKnown) throw engineError(`The model renders 1920x1080 or 1280x720, got ${width}x${height}.`);
  return { width, height };
}

/** The one image of an animation: in `messages`, or as the top-level `image_url`. */
function readImage(body: Fields): string {
  const single = body.string('image_url');
  const messages = body.objects('messages');
  if (messages === undefined) {
    if (single === undefined) throw invalid("'messages' is required, with one image.");
    return single;
  }
  if (single !== undefined) throw engineError('One image only: it stands in both messages and image_url.');
  const message = messages[0];
  if (messages.length !== 1 || message === undefined) throw invalid("'messages' must hold one message.");
  message.needOneOf('role', ['user']);
  const parts = message.objects('content') ?? [];
  const part = parts[0];
  if (part === undefined) throw invalid("'messages[0].content' must hold one image_url part.");
  if (parts.length > 1) throw engineError('One image only: the content must hold one image_url part.');
  part.needOneOf('type', ['image_url']);
  return part.needObject('image_url').needString('url');
}

async function checkImage(image: string): Promise<void> {
  const inline = decodeDataUri(image);
  if (inline !== undefined) return checkBytes(inline.bytes);
  if (!isHttpsOrLoopback(image)) throw engineError('The image must be a base64 data URI or a public https URL.');
  const fetched = await fetchMedia(image, IMAGE_BYTES_MAX);
  if (fetched.kind === 'failed') throw engineError(`The image ${fetched.reason}.`);
  if (fetched.kind === 'loaded') checkBytes(fetched.bytes);
}

function checkBytes(bytes: Buffer): void {
  const format = imageFacts(bytes)?.format;
  if (format !== 'png' && format !== 'jpeg') throw engineError('The image cannot be read as PNG or JPEG.');
}
