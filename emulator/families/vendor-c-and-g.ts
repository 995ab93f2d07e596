/** The shared route of the vendor-c and vendor-g models: submit and poll (service document 2, "Shared route"). */

import { inspectUrls } from '../media/media-limits.js';
import { FRAME_RATE, nearestSize } from '../media/media-mp4.js';
import { invalid } from '../model/errors.js';
import { submitJob } from '../model/jobs.js';
import { micro } from '../model/prices.js';
import { ALPHABET_HEX, type Random } from '../model/random.js';
import { type Answer, type Call, get, ok, post, type Route } from '../model/world.js';
import { fieldsOf } from './checks.js';
import { hasFailed, pollJob, wordsOf } from './polls.js';
import { readMedia, SHARED_MODELS } from './vendor-c-and-g-media.js';

const SECONDS_DEFAULT = 5;
const LIFE_SECONDS = 24 * 3600;
const SHORT_SIDES = { '480P': 480, '720P': 720, '1080P': 1080 } as const;
const WIDE = 16 / 9;

const WORDS = wordsOf('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED');

export const SHARED_ROUTES: readonly Route[] = [
  post('/v1/vendor-c/services/aigc/video-generation/video-synthesis', ['shared.submit'], submit, {
    namesFor: ({ body }) => familyNames(String(body?.model).startsWith('vendor-g') ? 'vendor-g' : 'vendor-c', 'submit'),
    // "on the shared route the body carries `code`, `message`, `request_id`": validation failures carry nothing else,
    // refusals of the general contract carry both forms.
    errorBody: (body, error, requestId) => ({
      ...(error.code === undefined && error.status < 500 ? {} : body),
      code: error.code ?? (error.status < 500 ? 'InvalidParameter' : 'InternalError'),
      message: error.message,
      request_id: requestId,
    }),
  }),
  get('/v1/vendor-c/tasks/{handle}', ['shared.poll'], poll, {
    namesFor: ({ kind }) => familyNames(kind === 'vendor-g/video' ? 'vendor-g' : 'vendor-c', 'poll'),
  }),
];

/** A fault rule names the family, though both share the route. */
function familyNames(family: 'vendor-c' | 'vendor-g', what: 'submit' | 'poll'): string[] {
  return [`${family}.${what}`, ...(what === 'submit' ? [`${family}/video`] : [])];
}

function submit(call: Call): Answer {
  const body = fieldsOf(call.body);
  const name = body.needString('model');
  const model = SHARED_MODELS.find((known) => known.id === name);
  if (model === undefined) {
    throw invalid(`Unknown model '${name}'; allowed: ${SHARED_MODELS.map((known) => known.id).join(', ')}.`);
  }
  const input = body.needObject('input');
  input.needString('prompt');
  const media = readMedia(input, model, call.world.options.assumptions.megabyteBytes);
  const parameters = body.object('parameters') ?? fieldsOf({}, 'parameters.');
  const resolution = parameters.oneOf('resolution', model.resolutions) ?? '1080P';
  const seconds = parameters.integer('duration', model.secondsMin, model.secondsMax) ?? SECONDS_DEFAULT;
  parameters.boolean('watermark');
  const job = submitJob(call, {
    family: model.family,
    facts: { kind: `${model.family}/video`, model: model.id, resolution },
    quantities: { request: micro(1), second: micro(seconds) },
    renderSeconds: call.world.options.assumptions.renderSeconds[model.family],
    // Every vendor-g clip is scored; vendor-c clips are silent unless a track drives them.
    spec: (tag) => ({
      type: 'mp4',
      ...nearestSize(SHORT_SIDES[resolution], media.ratio ?? WIDE),
      frames: seconds * FRAME_RATE,
      audio: model.family === 'vendor-g' || media.hasTrack,
      tag,
    }),
    outputLifeSeconds: LIFE_SECONDS,
    makeHandle: uuid,
    inspect: () => inspectUrls(media.urls),
  });
  const output = { task_id: job.handle, task_status: WORDS.queued };
  return ok({ output, request_id: call.requestId }, job.handle);
}

async function poll(call: Call): Promise<Answer> {
  const view = await pollJob(call, { families: ['vendor-c', 'vendor-g'], handleLifeSeconds: LIFE_SECONDS });
  const { state, job, url } = view;
  const output = {
    task_id: job.handle,
    task_status: view.word ?? WORDS[state],
    video_url: url,
    ...(hasFailed(state) ? { code: view.code, message: view.message } : {}),
  };
  return ok({ output, request_id: call.requestId });
}

function uuid(random: Random): string {
  const hex = (length: number): string => random.text(length, ALPHABET_HEX);
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${random.pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`;
}
