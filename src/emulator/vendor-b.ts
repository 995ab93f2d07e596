/** The avatar family: submit, poll and voices under /v1/vendor-b/v3 (service document 2, "Avatar video"). */
import { charactersOf, type Fields, fieldsOf } from './checks.js';
import { codedError, invalid, type ServiceError } from './errors.js';
import { decodeBase64, fetchMedia, isHttpsOrLoopback } from './input-media.js';
import { type Job, type JobFailure, submitJob } from './jobs.js';
import { clipFacts, imageFacts } from './media-facts.js';
import { FRAME_RATE, nearestSize, type Size } from './media-mp4.js';
import { framesOf } from './outputs.js';
import { pollJob } from './polls.js';
import { micro } from './prices.js';
import { ALPHABET_URL_SAFE, createRandom } from './random.js';
import type { JobState } from './truth.js';
import { type Answer, type Call, ok, type Route } from './world.js';

/** The voices that GET voices lists and that `voice_id` may name. */
export const VOICES = [
  { voice_id: 'v-amber-en', language: 'English', gender: 'female' },
  { voice_id: 'v-birch-en', language: 'English', gender: 'male' },
  { voice_id: 'v-cedar-zh', language: 'Chinese', gender: 'female' },
  { voice_id: 'v-dune-zh', language: 'Chinese', gender: 'male' },
  { voice_id: 'v-elm-es', language: 'Spanish', gender: 'female' },
  { voice_id: 'v-fern-de', language: 'German', gender: 'male' },
  { voice_id: 'v-grove-fr', language: 'French', gender: 'female' },
  { voice_id: 'v-heath-ja', language: 'Japanese', gender: 'male' },
] as const;

const RESOLUTIONS = ['720p', '1080p', '4k'] as const;
const SHORT_SIDES = { '720p': 720, '1080p': 1080, '4k': 2160 } as const;
const ASPECT_RATIOS = ['auto', '16:9', '9:16', '4:5', '5:4', '1:1'] as const;
const OUTPUT_LIFE_SECONDS = 4 * 3600;
const FIRST_POLL_SECONDS = 10;
const IMAGE_BYTES_MAX = 64 * 1024 * 1024;
const AUDIO_BYTES_MAX = 256 * 1024 * 1024;
const SPEECH_CHARACTERS_PER_SECOND = 15;

const WORDS: Readonly<Record<JobState, string>> = {
  queued: 'waiting',
  running: 'processing',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
};

export const VENDOR_B_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/v1/vendor-b/v3/videos',
    names: ['vendor-b.submit', 'vendor-b/avatar'],
    handler: submit,
    needsUserAgent: true,
  },
  {
    method: 'GET',
    pattern: '/v1/vendor-b/v3/videos/{handle}',
    names: ['vendor-b.poll'],
    handler: poll,
    needsUserAgent: true,
  },
  {
    method: 'GET',
    pattern: '/v1/vendor-b/v3/voices',
    names: ['vendor-b.voices', 'voices'],
    handler: () => ok({ data: { voices: VOICES } }),
    needsUserAgent: true,
  },
];

async function submit(call: Call): Promise<Answer> {
  const body = fieldsOf(call.body);
  const type = body.needOneOf('type', ['image', 'avatar']);
  const face = type === 'image' ? checkImageForm(body) : checkAvatar(body);
  const speech = checkSpeechForm(body);
  const size = canvasOf(body, type);
  if (face.url !== undefined) await checkImageUrl(face.url);
  const seconds = speech.url === undefined ? speechSeconds(speech.script) : await audioSeconds(speech.url);
  const frames = framesOf(seconds);
  const clipSeconds = Number((frames / FRAME_RATE).toFixed(3));
  const render = call.world.options.renderSeconds['vendor-b'];
  const renderSeconds = render[1] > 0 ? render : ([8 + clipSeconds * 1.5, 8 + clipSeconds * 3] as const);
  const urls = [face.url, speech.url].filter((url) => url !== undefined);
  const job = submitJob(call, {
    family: 'vendor-b',
    facts: { kind: 'vendor-b/avatar', model: type === 'image' ? 'avatar_iv' : 'avatar_v' },
    quantities: { request: micro(1), second: micro(clipSeconds) },
    renderSeconds,
    spec: (tag) => ({ type: 'mp4', ...size, frames, audio: true, tag }),
    outputLifeSeconds: OUTPUT_LIFE_SECONDS,
    // About 230 characters; the length differs from job to job, so that nothing can count on it.
    makeHandle: (random) => random.text(random.whole(226, 236), ALPHABET_URL_SAFE),
    inspect: () => stillReachable(call, urls, renderSeconds[0] / 2),
    firstPollSeconds: FIRST_POLL_SECONDS,
  });
  const status = firstWord(job);
  return ok({ data: { video_id: job.handle, status, output_format: 'mp4' } }, job.handle);
}

/** Both first words are documented; which one a job has follows from its handle. */
function firstWord(job: Job): 'waiting' | 'pending' {
  return job.handle.charCodeAt(0) % 2 === 0 ? 'waiting' : 'pending';
}

async function poll(call: Call): Promise<Answer> {
  const handle = call.params.handle ?? '';
  const view = await pollJob(call, { families: ['vendor-b'], handle, foreignStatus: 409 });
  const { job, state } = view;
  const status = view.word ?? (state === 'queued' ? firstWord(job) : WORDS[state]);
  const spec = job.output?.spec;
  const seconds = spec?.type === 'mp4' ? Number((spec.frames / FRAME_RATE).toFixed(3)) : 0;
  const done =
    state === 'succeeded' ? { duration: seconds, ...(view.url === undefined ? {} : { video_url: view.url }) } : {};
  // The documents say only that the reason is "in the body"; they show no field name.
  const reason = WORDS[state] === 'failed' ? { failure_message: view.message } : {};
  return ok({ data: { id: handle, status, ...done, ...reason } });
}
