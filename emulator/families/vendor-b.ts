/** The avatar family: submit, poll and voices under /v1/vendor-b/v3 (service document 2, "Avatar video"). */

import { fetchMedia } from '../media/input-media.js';
import { MEGABYTE } from '../media/media-limits.js';
import { FRAME_RATE } from '../media/media-mp4.js';
import { framesOf } from '../media/outputs.js';
import type { Assumptions, Range } from '../model/assumptions.js';
import type { Job, JobFailure } from '../model/job.js';
import { submitJob } from '../model/jobs.js';
import { micro } from '../model/prices.js';
import { ALPHABET_URL_SAFE } from '../model/random.js';
import { type Answer, type Call, get, ok, post, type Route } from '../model/world.js';
import { fieldsOf } from './checks.js';
import { hasFailed, pollJob, wordsOf } from './polls.js';
import { readAvatarForm, VOICES } from './vendor-b-form.js';

const FIRST_POLL_SECONDS = 10;
const INPUT_BYTES_MAX = 256 * MEGABYTE;

const WORDS = wordsOf('waiting', 'processing', 'completed', 'failed');

export const VENDOR_B_ROUTES: readonly Route[] = [
  post('/v1/vendor-b/v3/videos', ['vendor-b.submit', 'vendor-b/avatar'], submit, { needsUserAgent: true }),
  get('/v1/vendor-b/v3/videos/{handle}', ['vendor-b.poll'], poll, { needsUserAgent: true }),
  get('/v1/vendor-b/v3/voices', ['vendor-b.voices', 'voices'], () => ok({ data: { voices: VOICES } }), {
    needsUserAgent: true,
  }),
];

async function submit(call: Call): Promise<Answer> {
  const { assumptions } = call.world.options;
  const form = await readAvatarForm(fieldsOf(call.body), assumptions.speechCharactersPerSecond);
  const frames = framesOf(form.seconds);
  const clipSeconds = Number((frames / FRAME_RATE).toFixed(3));
  const renderSeconds = renderSecondsOf(assumptions, clipSeconds);
  const job = submitJob(call, {
    family: 'vendor-b',
    facts: { kind: 'vendor-b/avatar', model: form.engine },
    quantities: { request: micro(1), second: micro(clipSeconds) },
    renderSeconds,
    spec: (tag) => ({ type: 'mp4', ...form.size, frames, audio: true, tag }),
    outputLifeSeconds: assumptions.outputUrlSeconds,
    // About 230 characters; the length differs from job to job, so that nothing can count on it.
    makeHandle: (random) => random.text(random.whole(226, 236), ALPHABET_URL_SAFE),
    inspect: () => stillReachable(call, form.urls, renderSeconds[0] / 2),
    firstPollSeconds: FIRST_POLL_SECONDS,
  });
  const status = firstWord(job);
  return ok({ data: { video_id: job.handle, status, output_format: 'mp4' } }, job.handle);
}

/** "Avatar render time scales with clip length." */
function renderSecondsOf(assumptions: Assumptions, clipSeconds: number): Range {
  const fixed = assumptions.renderSeconds['vendor-b'];
  if (fixed[1] > 0) return fixed;
  const { avatarSeconds: least, avatarSecondsPerSecond: factor } = assumptions;
  return [Math.max(least[0], factor[0] * clipSeconds), Math.max(least[1], factor[1] * clipSeconds)];
}

/** Both first words are documented; which one a job has follows from its handle. */
function firstWord(job: Job): 'waiting' | 'pending' {
  return job.handle.charCodeAt(0) % 2 === 0 ? 'waiting' : 'pending';
}

async function poll(call: Call): Promise<Answer> {
  const view = await pollJob(call, { families: ['vendor-b'], foreignStatus: 409 });
  const { job, state } = view;
  const isDone = state === 'succeeded';
  const spec = job.output?.spec;
  const seconds = spec?.type === 'mp4' ? Number((spec.frames / FRAME_RATE).toFixed(3)) : 0;
  const data = {
    id: job.handle,
    status: view.word ?? (state === 'queued' ? firstWord(job) : WORDS[state]),
    duration: isDone ? (view.quantity ?? seconds) : undefined,
    video_url: isDone ? view.url : undefined,
    // The documents say only that the reason is "in the body"; they show no field name.
    failure_message: hasFailed(state) ? view.message : undefined,
  };
  return ok({ data });
}

/** The input is fetched during the job, so it must still be there when the job renders. */
async function stillReachable(
  call: Call,
  urls: readonly string[],
  afterSeconds: number,
): Promise<JobFailure | undefined> {
  if (urls.length === 0) return undefined;
  const { clock, scheduler } = call.world;
  await new Promise<void>((resolve) => {
    scheduler.at(clock.nowMs() + clock.serviceMs(afterSeconds), () => resolve());
  });
  for (const url of urls) {
    const fetched = await fetchMedia(url, INPUT_BYTES_MAX);
    if (fetched.kind === 'failed') return { message: `The input ${url} ${fetched.reason}.` };
  }
  return undefined;
}
