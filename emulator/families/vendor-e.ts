/** The omni-modal family: submit and poll under /v1/vendor-e/v2 (service document 2, `vendor-e`). */

import { inspectUrls } from '../media/media-limits.js';
import { FRAME_RATE, nearestSize, type Size } from '../media/media-mp4.js';
import { invalid } from '../model/errors.js';
import { submitJob } from '../model/jobs.js';
import { micro } from '../model/prices.js';
import { ALPHABET_DIGITS } from '../model/random.js';
import { type Answer, type Call, get, ok, post, type Route } from '../model/world.js';
import { fieldsOf } from './checks.js';
import { hasFailed, pollJob, wordsOf } from './polls.js';
import { readContent } from './vendor-e-content.js';

const MODEL = 'Vendor-E-H3';
const HANDLE_LIFE_SECONDS = 7 * 24 * 3600;
const SECONDS = { min: 4, max: 15 };
const SHORT_SIDES = { '768P': 768, '2K': 1440 } as const;
const RATIOS = ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16'] as const;
const IMAGES_INCLUDED = 5;

const WORDS = wordsOf('queued', 'running', 'succeeded', 'failed', 'cancelled');

export const VENDOR_E_ROUTES: readonly Route[] = [
  post('/v1/vendor-e/v2/video_generation', ['vendor-e.submit', 'vendor-e/video'], submit),
  get('/v1/vendor-e/v2/query/video_generation/{handle}', ['vendor-e.poll'], poll),
];

async function submit(call: Call): Promise<Answer> {
  const body = fieldsOf(call.body);
  const model = body.needOneOf('model', [MODEL]);
  const seconds = body.integer('duration', SECONDS.min, SECONDS.max);
  if (seconds === undefined) throw invalid("'duration' is required.");
  // Which resolution is rendered where none is sent is not shown; the cheaper one is.
  const resolution = body.oneOf('resolution', ['768P', '2K']) ?? '768P';
  const { assumptions } = call.world.options;
  const content = await readContent(body, assumptions);
  const ratio = content.isTextOnly ? body.needOneOf('ratio', RATIOS) : '16:9';
  const [width = 16, height = 9] = ratio.split(':').map(Number);
  const sizeOf = (): Size => nearestSize(SHORT_SIDES[resolution], content.ratio() ?? width / height);
  const quantities = {
    request: micro(1),
    second: micro(seconds),
    'reference-second': micro(content.referenceSeconds()),
    'reference-image': micro(content.referenceImages),
  };
  const job = submitJob(call, {
    family: 'vendor-e',
    facts: { kind: 'vendor-e/video', model, resolution },
    quantities,
    renderSeconds: assumptions.renderSeconds['vendor-e'],
    spec: (tag) => ({ type: 'mp4', ...sizeOf(), frames: seconds * FRAME_RATE, audio: true, tag }),
    outputLifeSeconds: HANDLE_LIFE_SECONDS,
    makeHandle: (random) => `4${random.text(17, ALPHABET_DIGITS)}`,
    inspect: async () => {
      const failure = (await inspectUrls(content.urls)) ?? content.problemOfAll();
      // How long the reference clips are is known only now that they were fetched.
      quantities['reference-second'] = micro(content.referenceSeconds());
      return failure;
    },
  });
  return ok({ task_id: job.handle }, job.handle);
}

async function poll(call: Call): Promise<Answer> {
  // "time-limited; a later poll returns a fresh URL"
  const { freshUrlSeconds } = call.world.options.assumptions;
  const rules = { handleLifeSeconds: HANDLE_LIFE_SECONDS, freshUrlSeconds };
  const view = await pollJob(call, { families: ['vendor-e'], ...rules });
  const { state, job } = view;
  const { quantities } = job.plan;
  // The names inside `usage` are not shown in the documents.
  const usage = {
    output_seconds: view.quantity ?? (quantities.second ?? 0) / 1e6,
    reference_video_seconds: (quantities['reference-second'] ?? 0) / 1e6,
    billed_image_count: Math.max(0, (quantities['reference-image'] ?? 0) / 1e6 - IMAGES_INCLUDED),
  };
  return ok({
    task: {
      id: job.handle,
      status: view.word ?? WORDS[state],
      content: view.url && { url: view.url },
      usage: state === 'succeeded' ? usage : undefined,
      error: hasFailed(state) ? { code: view.code, message: view.message } : undefined,
    },
  });
}
