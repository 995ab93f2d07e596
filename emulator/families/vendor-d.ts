/** The token-billed family: submit and poll under /v1/vendor-d (service document 2, `vendor-d`). */

import { isWebUrl } from '../media/input-media.js';
import { type ImageLimits, imageProblem, imageRatio, inspectUrls, MEGABYTE } from '../media/media-limits.js';
import { FRAME_RATE, nearestSize } from '../media/media-mp4.js';
import { invalid } from '../model/errors.js';
import { submitJob } from '../model/jobs.js';
import { ALPHABET_LOWER, createRandom, type Random } from '../model/random.js';
import { type Answer, type Call, get, ok, post, type Route } from '../model/world.js';
import { type Fields, fieldsOf } from './checks.js';
import { hasFailed, pollJob, wordsOf } from './polls.js';

const MODEL = 'vendor-d-2-5-260628';
const SECONDS = { min: 1, max: 15, default: 5 };
const SHORT_SIDES = { '480p': 480, '720p': 720 } as const;
const FRAME_LIMITS: ImageLimits = {
  formats: ['png', 'jpeg', 'webp', 'bmp', 'gif', 'heic', 'tiff', 'other'],
  // "under 30 MB"
  bytesMax: 30 * MEGABYTE - 1,
  sideMin: 300,
  sideMax: 6000,
  ratioMin: 0.4,
  ratioMax: 2.5,
};

const WORDS = wordsOf('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired');

export const VENDOR_D_ROUTES: readonly Route[] = [
  post('/v1/vendor-d/contents/generations/tasks', ['vendor-d.submit', 'vendor-d/video'], submit),
  get('/v1/vendor-d/contents/generations/tasks/{handle}', ['vendor-d.poll'], poll),
];

function submit(call: Call): Answer {
  const body = fieldsOf(call.body);
  const model = body.needOneOf('model', [MODEL]);
  const frame = readContent(body);
  const resolution = body.oneOf('resolution', ['480p', '720p']) ?? '720p';
  const audio = body.boolean('generate_audio') ?? true;
  // The field that sets the length is not shown; a whole number called `duration` is understood here, so that a
  // request which passes one through gets clips of different lengths.
  const seconds = body.integer('duration', SECONDS.min, SECONDS.max) ?? SECONDS.default;
  // Video tokens: pixels times frames over 1024, as partner models of this type count them, or about that.
  let size = nearestSize(SHORT_SIDES[resolution], 16 / 9);
  const { seed, assumptions } = call.world.options;
  const factor = createRandom(seed, `tokens ${call.bodyHash}`).between(...assumptions.tokenFactor);
  const tokens = (): number => Math.round((size.width * size.height * FRAME_RATE * seconds * factor) / 1024);
  const quantities = { 'million-tokens': tokens() };
  const look = (bytes: Buffer): string | undefined => {
    // The output shape follows the image, and the tokens follow the output.
    size = nearestSize(SHORT_SIDES[resolution], imageRatio(bytes) ?? 16 / 9);
    quantities['million-tokens'] = tokens();
    return imageProblem(bytes, FRAME_LIMITS, assumptions.megabyteBytes);
  };
  const job = submitJob(call, {
    family: 'vendor-d',
    facts: { kind: 'vendor-d/video', model, resolution, audio },
    quantities,
    renderSeconds: assumptions.renderSeconds['vendor-d'],
    spec: (tag) => ({ type: 'mp4', ...size, frames: seconds * FRAME_RATE, audio, tag }),
    outputLifeSeconds: assumptions.outputUrlSeconds,
    makeHandle: (random) => makeHandle(call, random),
    inspect: () => inspectUrls(frame === undefined ? [] : [{ url: frame, problem: look }]),
  });
  return ok({ id: job.handle }, job.handle);
}

function makeHandle(call: Call, random: Random): string {
  const stamp = new Date(call.world.clock.nowMs()).toISOString().replace(/\D/g, '').slice(0, 14);
  return `cgt-${stamp}-${random.text(8, ALPHABET_LOWER)}`;
}

/** Checks the content items; returns the URL of the first frame, if there is one. */
function readContent(body: Fields): string | undefined {
  const items = body.objects('content') ?? [];
  const [text, ...rest] = items;
  if (text === undefined) throw invalid("'content' is required.");
  if (text.needOneOf('type', ['text', 'image_url']) !== 'text')
    throw invalid("'content' must begin with the text item.");
  text.needString('text');
  if (rest.length > 1) throw invalid("'content' takes one text item and at most one first_frame image.");
  const image = rest[0];
  if (image === undefined) return undefined;
  image.needOneOf('type', ['image_url']);
  image.needOneOf('role', ['first_frame']);
  const container = image.needObject('image_url');
  const url = container.needString('url');
  if (!isWebUrl(url)) throw invalid(`'${container.path('url')}' must be a URL that is reachable from the internet.`);
  return url;
}

async function poll(call: Call): Promise<Answer> {
  const view = await pollJob(call, { families: ['vendor-d'] });
  const { state, job } = view;
  const tokens = view.quantity ?? job.plan.quantities['million-tokens'] ?? 0;
  return ok({
    id: job.handle,
    model: MODEL,
    status: view.word ?? WORDS[state],
    content: view.url && { video_url: view.url },
    usage: state === 'succeeded' ? { completion_tokens: tokens, total_tokens: tokens } : undefined,
    error: hasFailed(state) ? { code: view.code, message: view.message } : undefined,
  });
}
