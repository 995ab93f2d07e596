/** The multi-mode family: four capabilities under /v1/vendor-a/videos (service document 2, "Multi-mode video"). */
import { postUpdate } from './callbacks.js';
import { checkLength, type Fields, fieldsOf } from './checks.js';
import { invalid, type JsonObject } from './errors.js';
import { isWebUrl } from './input-media.js';
import { type Job, submitJob } from './jobs.js';
import { inspectUrls } from './media-limits.js';
import { FRAME_RATE, nearestSize } from './media-mp4.js';
import { type PollView, pollJob } from './polls.js';
import { type Kind, micro, type Quantities } from './prices.js';
import { ALPHABET_DIGITS } from './random.js';
import type { JobState } from './truth.js';
import { type BroughtMedia, ProviderError, readClip, readImage } from './vendor-a-media.js';
import { secondsText, storyboardSeconds } from './vendor-a-storyboard.js';
import { type Answer, type Call, ok, type Route, type World } from './world.js';

const CAPABILITIES = ['text2video', 'image2video', 'omni-video', 'motion-control'] as const;
type Capability = (typeof CAPABILITIES)[number];

const PROMPT_MAX = 2500;
const SECONDS = { min: 3, max: 15, default: 5 };
const REFERENCES_MAX = 7;
const SHORT_SIDES = { std: 720, pro: 1080, '4k': 2160 } as const;
const RATIOS = { '16:9': 16 / 9, '9:16': 9 / 16, '1:1': 1 } as const;
const HANDLE_LIFE_SECONDS = 7 * 24 * 3600;
const OUTPUT_LIFE_SECONDS = 4 * 3600;
const T2V_STORYBOARD = { shotSecondsMax: 15, totalSecondsMax: 15, shotsMax: 6 };
const OMNI_STORYBOARD = { shotSecondsMax: 10, totalSecondsMax: 30 };
const STORYBOARD_FIELDS = ['multi_shot', 'shot_type', 'multi_prompt'];

const WORDS: Readonly<Record<JobState, string>> = {
  queued: 'submitted',
  running: 'processing',
  succeeded: 'succeed',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
};

export const VENDOR_A_ROUTES: readonly Route[] = [
  ...CAPABILITIES.map(
    (capability): Route => ({
      method: 'POST',
      pattern: `/v1/vendor-a/videos/${capability}`,
      names: [`vendor-a.${capability}.submit`, 'vendor-a.submit', `vendor-a/${capability}`],
      handler: (call) => submit(call, capability),
    }),
  ),
  {
    method: 'GET',
    pattern: '/v1/vendor-a/videos/{capability}/{handle}',
    names: ['vendor-a.poll'],
    handler: poll,
  },
];

/** What a capability reads from a body. */
interface Form {
  model: string;
  mode: keyof typeof SHORT_SIDES;
  /** Seconds of the clip. */
  seconds: number;
  ratio: number;
  quantities: Quantities;
  sound: 'on' | 'off';
  media: BroughtMedia[];
  owedLater?: () => Quantities | undefined;
}

const READERS: Readonly<Record<Capability, (body: Fields) => Form>> = {
  text2video: readText,
  image2video: readImageToVideo,
  'omni-video': readOmni,
  'motion-control': readMotion,
};

function submit(call: Call, capability: Capability): Answer {
  const body = fieldsOf(call.body);
  let form: Form;
  try {
    form = READERS[capability](body);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return ok({ code: error.code, message: error.message });
  }
  const { world } = call;
  const callbackUrl = readCallbackUrl(body, capability);
  const { mode, model, seconds, sound } = form;
  const urls = form.media.flatMap((media) => media.inspect ?? []);
  const kind: Kind = `vendor-a/${capability}`;
  const job = submitJob(call, {
    family: 'vendor-a',
    facts: { kind, model, mode, sound },
    quantities: form.quantities,
    renderSeconds: world.options.renderSeconds['vendor-a'],
    spec: (tag) => ({
      type: 'mp4',
      ...nearestSize(SHORT_SIDES[mode], form.ratio),
      frames: seconds * FRAME_RATE,
      audio: sound === 'on' || mode === '4k',
      tag,
    }),
    outputLifeSeconds: OUTPUT_LIFE_SECONDS,
    makeHandle: (random) => `8${random.text(17, ALPHABET_DIGITS)}`,
    inspect: () => inspectUrls(urls),
    ...(form.owedLater === undefined ? {} : { owedLater: form.owedLater }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    onState: (changed) => postUpdate(world, changed, ownView(world, changed)),
  });
  return ok(taskBody(job, { state: 'queued', message: '' }), job.handle);
}

async function poll(call: Call): Promise<Answer> {
  const { capability, handle = '' } = call.params;
  const accepts = (job: Job): boolean => job.record.kind === `vendor-a/${capability}`;
  const view = await pollJob(call, { families: ['vendor-a'], handle, handleLifeSeconds: HANDLE_LIFE_SECONDS, accepts });
  return ok(taskBody(view.job, view));
}

/** The body that submits, polls and status updates share. */
function taskBody(job: Job, view: Pick<PollView, 'state' | 'word' | 'url' | 'message'>): JsonObject {
  const { state } = view;
  const spec = job.output?.spec;
  const seconds = spec?.type === 'mp4' ? spec.frames / FRAME_RATE : 0;
  const video = { ...(view.url === undefined ? {} : { url: view.url }), duration: String(seconds) };
  return {
    code: 0,
    message: 'SUCCEED',
    data: {
      task_id: job.handle,
      task_status: view.word ?? WORDS[state],
      ...(WORDS[state] === 'failed' ? { task_status_msg: view.message } : {}),
      ...(state === 'succeeded' ? { task_result: { videos: [video] } } : {}),
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

function readText(body: Fields): Form {
  const common = readCommon(body, 'vendor-a-v3', ['std', 'pro', '4k']);
  checkLength('negative_prompt', body.string('negative_prompt'), PROMPT_MAX);
  const ratio = RATIOS[body.oneOf('aspect_ratio', ['16:9', '9:16', '1:1']) ?? '16:9'];
  const storyboard = storyboardSeconds(body, T2V_STORYBOARD);
  if (storyboard === undefined) checkLength('prompt', body.needString('prompt'), PROMPT_MAX);
  const seconds = storyboard ?? readSeconds(body);
  return { ...common, seconds, ratio, quantities: perSecond(seconds), media: [] };
}

function readImageToVideo(body: Fields): Form {
  const common = readCommon(body, 'vendor-a-v3', ['std', 'pro', '4k']);
  body.refuse(STORYBOARD_FIELDS, 'is taken by text-to-video and omni video only.');
  body.refuse(['aspect_ratio'], 'is taken by text-to-video only.');
  checkLength('negative_prompt', body.string('negative_prompt'), PROMPT_MAX);
  checkLength('prompt', body.string('prompt'), PROMPT_MAX);
  const seconds = readSeconds(body);
  const image = readImage('image', body.needString('image'));
  return { ...common, seconds, ratio: image.ratio ?? RATIOS['16:9'], quantities: perSecond(seconds), media: [image] };
}

function readOmni(body: Fields): Form {
  const common = readCommon(body, 'vendor-a-v3-omni', ['std', 'pro', '4k']);
  body.refuse(['negative_prompt'], 'is taken by text-to-video and image-to-video only.');
  body.refuse(['sound'], 'is taken by text-to-video and image-to-video with vendor-a-v3 only.');
  const storyboard = storyboardSeconds(body, OMNI_STORYBOARD);
  if (storyboard === undefined) checkLength('prompt', body.string('prompt'), PROMPT_MAX);
  const seconds = storyboard ?? readSeconds(body);
  const images = body.objects('image_list') ?? [];
  const videos = body.objects('video_list') ?? [];
  const elements = body.objects('element_list') ?? [];
  const count = images.length + videos.length + elements.length;
  if (count === 0) throw invalid("At least one of 'image_list', 'video_list' and 'element_list' must be non-empty.");
  if (count > REFERENCES_MAX) throw invalid(`Up to ${REFERENCES_MAX} reference inputs are allowed, got ${count}.`);
  const media = [
    ...images.map((item) => {
      item.oneOf('type', ['first_frame', 'end_frame']);
      return readImage(item.path('image_url'), item.needString('image_url'));
    }),
    ...videos.map((item) => readClip(item.path('video_url'), item.needString('video_url'))),
  ];
  const ratio = media.find((one) => one.ratio !== undefined)?.ratio ?? RATIOS['16:9'];
  return { ...common, seconds, ratio, quantities: perSecond(seconds), media };
}

const ORIENTATION_SECONDS_MAX = { image: 10, video: 30 } as const;

function readMotion(body: Fields): Form {
  const common = readCommon(body, 'vendor-a-v3', ['std', 'pro']);
  body.refuse(['prompt', 'duration'], 'is not sent on motion control.');
  body.refuse(['negative_prompt', 'sound'], 'is taken by text-to-video and image-to-video only.');
  body.refuse([...STORYBOARD_FIELDS, 'aspect_ratio'], 'is not taken by motion control.');
  const orientation = body.needOneOf('character_orientation', ['image', 'video']);
  const declared = body.integer('input_video_seconds', 1, 10);
  if (declared === undefined) throw invalid("'input_video_seconds' is required.");
  const text = body.needString('image_url');
  const character = orientation === 'image' ? readImage('image_url', text) : readCharacterClip(text);
  const driver = readClip('video_url', body.needString('video_url'));
  const owedLater = (): Quantities | undefined => {
    // The driver clip is longer than declared: the difference is charged after completion.
    const missing = Math.min(driver.seconds ?? 0, ORIENTATION_SECONDS_MAX[orientation]) - declared;
    return missing > 0 ? { 'input-second': micro(missing) } : undefined;
  };
  const quantities = { 'input-second': micro(declared), request: micro(1) };
  const ratio = character.ratio ?? RATIOS['16:9'];
  return { ...common, seconds: declared, ratio, quantities, media: [character, driver], owedLater };
}

/** With orientation `video` the character comes as a video; raw base64 of one is taken as it is. */
function readCharacterClip(text: string): BroughtMedia {
  return isWebUrl(text) ? readClip('image_url', text) : {};
}

function readCommon(
  body: Fields,
  model: string,
  modes: readonly (keyof typeof SHORT_SIDES)[],
): Pick<Form, 'model' | 'mode' | 'sound'> {
  const name = body.oneOf('model_name', [model]) ?? model;
  const mode = body.oneOf('mode', modes) ?? 'std';
  return { model: name, mode, sound: body.oneOf('sound', ['on', 'off']) ?? 'off' };
}

function readSeconds(body: Fields): number {
  return body.has('duration') ? secondsText(body, 'duration', SECONDS.min, SECONDS.max) : SECONDS.default;
}

function perSecond(seconds: number): Quantities {
  return { request: micro(1), second: micro(seconds) };
}
