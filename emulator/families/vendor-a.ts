/** The multi-mode family: four capabilities under /v1/vendor-a/videos (service document 2, "Multi-mode video"). */
import { postUpdate } from '../http/callbacks.js';
import { isWebUrl } from '../media/input-media.js';
import { inspectUrls } from '../media/media-limits.js';
import { FRAME_RATE, nearestSize } from '../media/media-mp4.js';
import { framesOf } from '../media/outputs.js';
import { invalid, type JsonObject } from '../model/errors.js';
import type { Job } from '../model/job.js';
import { submitJob } from '../model/jobs.js';
import type { Kind } from '../model/prices.js';
import { ALPHABET_DIGITS } from '../model/random.js';
import { type Answer, type Call, get, ok, post, type Route, type World } from '../model/world.js';
import { type Fields, fieldsOf } from './checks.js';
import { hasFailed, type PollView, pollJob, wordsOf } from './polls.js';
import { CAPABILITIES, type Capability, type CapabilityForm, READERS, SHORT_SIDES } from './vendor-a-forms.js';
import { ProviderError } from './vendor-a-parts.js';

const HANDLE_LIFE_SECONDS = 7 * 24 * 3600;

const WORDS = wordsOf('submitted', 'processing', 'succeed', 'failed');

export const VENDOR_A_ROUTES: readonly Route[] = [
  ...CAPABILITIES.map((capability) => {
    const names = [`vendor-a.${capability}.submit`, 'vendor-a.submit', `vendor-a/${capability}`] as const;
    return post(`/v1/vendor-a/videos/${capability}`, names, (call) => submit(call, capability));
  }),
  get('/v1/vendor-a/videos/{capability}/{handle}', ['vendor-a.poll'], poll),
];

function submit(call: Call, capability: Capability): Answer {
  const body = fieldsOf(call.body);
  let form: CapabilityForm;
  try {
    form = READERS[capability](body, call.world.options.assumptions);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return ok({ code: error.code, message: error.message });
  }
  const { world } = call;
  const callbackUrl = readCallbackUrl(body, capability);
  const { mode, model, sound } = form;
  const urls = form.media.flatMap((media) => media.inspect ?? []);
  const kind: Kind = `vendor-a/${capability}`;
  const job = submitJob(call, {
    family: 'vendor-a',
    facts: { kind, model, mode, sound },
    quantities: form.quantities,
    renderSeconds: world.options.assumptions.renderSeconds['vendor-a'],
    spec: (tag) => ({
      type: 'mp4',
      ...nearestSize(SHORT_SIDES[mode], form.ratio()),
      frames: framesOf(form.seconds()),
      audio: sound === 'on' || mode === '4k',
      tag,
    }),
    outputLifeSeconds: world.options.assumptions.outputUrlSeconds,
    makeHandle: (random) => `8${random.text(17, ALPHABET_DIGITS)}`,
    inspect: () => inspectUrls(urls),
    ...(form.owedLater === undefined ? {} : { owedLater: form.owedLater }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    onState: (changed) => postUpdate(world, changed, ownView(world, changed)),
  });
  return ok(taskBody(job, { state: 'queued', message: '' }), job.handle);
}

async function poll(call: Call): Promise<Answer> {
  const { capability } = call.params;
  const accepts = (job: Job): boolean => job.record.kind === `vendor-a/${capability}`;
  const view = await pollJob(call, { families: ['vendor-a'], handleLifeSeconds: HANDLE_LIFE_SECONDS, accepts });
  return ok(taskBody(view.job, view));
}

/** The body that submits, polls and status updates share. */
function taskBody(job: Job, view: Pick<PollView, 'state' | 'word' | 'url' | 'message' | 'quantity'>): JsonObject {
  const { state } = view;
  const spec = job.output?.spec;
  const seconds = spec?.type === 'mp4' ? spec.frames / FRAME_RATE : 0;
  const video = { url: view.url, duration: String(view.quantity ?? seconds) };
  return {
    code: 0,
    message: 'SUCCEED',
    data: {
      task_id: job.handle,
      task_status: view.word ?? WORDS[state],
      task_status_msg: hasFailed(state) ? view.message : undefined,
      task_result: state === 'succeeded' ? { videos: [video] } : undefined,
    },
  };
}

/** What a status update shows; its payload is not shown in the documents, so it is that of a poll. */
function ownView(world: World, job: Job): JsonObject {
  const { state, message = '' } = job.record;
  const url =
    state === 'succeeded' && job.output !== undefined ? world.outputs.url(job.output, job.output.expiresMs) : undefined;
  return taskBody(job, { state, message, ...(url === undefined ? {} : { url }) });
}

function readCallbackUrl(body: Fields, capability: Capability): string | undefined {
  if (capability === 'omni-video' || capability === 'motion-control') {
    body.refuse(['callback_url'], 'is taken by text-to-video and image-to-video only.');
  }
  const url = body.string('callback_url');
  if (url !== undefined && !isWebUrl(url)) throw invalid("'callback_url' must be an http or https URL.");
  return url;
}
