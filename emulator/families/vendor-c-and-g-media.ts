/** The models of the shared route, and `input.media`: what each takes, and the limits on its bytes (service document 2). */
import { isWebUrl } from '../media/input-media.js';
import { clipFacts, imageFacts } from '../media/media-facts.js';
import { type ImageLimits, imageProblem, imageRatio, MEGABYTE, type UrlToInspect } from '../media/media-limits.js';
import { invalid } from '../model/errors.js';
import type { Fields } from './checks.js';

type Resolution = '480P' | '720P' | '1080P';

export interface SharedModel {
  id: string;
  family: 'vendor-c' | 'vendor-g';
  /** The one task of the id; `any` where one id serves all tasks. */
  task: 't2v' | 'i2v' | 'r2v' | 'any';
  resolutions: readonly Resolution[];
  secondsMin: number;
  secondsMax: number;
  referencesMax: number;
  takesLastFrame: boolean;
  takesDrivingAudio: boolean;
}

const ALL: readonly Resolution[] = ['480P', '720P', '1080P'];
const UPPER: readonly Resolution[] = ['720P', '1080P'];

type Limits = Omit<SharedModel, 'id' | 'task' | 'takesDrivingAudio'>;

function oneForAll(id: string, limits: Limits): SharedModel {
  return { ...limits, id, task: 'any', takesDrivingAudio: false };
}

function onePerTask(prefix: string, limits: Limits): SharedModel[] {
  return (['t2v', 'i2v', 'r2v'] as const).map((task) => ({
    ...limits,
    id: `${prefix}-${task}`,
    task,
    takesDrivingAudio: prefix === 'vendor-c-2.7' && task === 'i2v',
  }));
}

const C3: Limits = {
  family: 'vendor-c',
  resolutions: ALL,
  secondsMin: 2,
  secondsMax: 30,
  referencesMax: 10,
  takesLastFrame: true,
};
const C27: Limits = { ...C3, resolutions: UPPER, secondsMax: 15, referencesMax: 5 };
const G11: Limits = {
  family: 'vendor-g',
  resolutions: ALL,
  secondsMin: 3,
  secondsMax: 15,
  referencesMax: 9,
  takesLastFrame: false,
};
const G10: Limits = { ...G11, resolutions: UPPER };

export const SHARED_MODELS: readonly SharedModel[] = [
  oneForAll('vendor-c-3.0-video', C3),
  oneForAll('vendor-c-3.0-video-prime', C3),
  ...onePerTask('vendor-c-2.7', C27),
  ...onePerTask('vendor-g-1.1', G11),
  ...onePerTask('vendor-g-1.0', G10),
];

const TYPES = ['first_frame', 'last_frame', 'driving_audio', 'reference_image'] as const;
type MediaType = (typeof TYPES)[number];

/** "Reference image limits" of family vendor-c; the documents show none for its frames. */
const C_REFERENCE_LIMITS: ImageLimits = {
  formats: ['jpeg', 'png', 'bmp', 'webp'],
  bytesMax: 20 * MEGABYTE,
  sideMin: 240,
  sideMax: 8000,
  // "no wider than 8:1": no bound is documented for tall ones.
  ratioMin: 0,
  ratioMax: 8,
  refusesAlpha: true,
};
const G_FORMATS = ['jpeg', 'png', 'webp'] as const;
const G_FRAME_LIMITS: ImageLimits = {
  formats: G_FORMATS,
  bytesMax: 20 * MEGABYTE,
  sideMin: 300,
  ratioMin: 1 / 2.5,
  ratioMax: 2.5,
};
const G_REFERENCE_LIMITS: ImageLimits = {
  formats: G_FORMATS,
  bytesMax: 20 * MEGABYTE,
  // "at least 400 px on the short side"; no bound on the shape is documented for references.
  sideMin: 400,
  ratioMin: 0,
  ratioMax: Number.POSITIVE_INFINITY,
};

interface SharedMedia {
  urls: UrlToInspect[];
  /** A sound track drives the clip. */
  hasTrack: boolean;
  /** Width over height of the first frame, once the job has looked at it. */
  ratio?: number;
}

/** Checks the items against the model; their bytes are looked at when the job runs. */
export function readMedia(input: Fields, model: SharedModel, megabyteBytes: number): SharedMedia {
  const items = (input.objects('media') ?? []).map((item) => ({
    type: item.needOneOf('type', TYPES),
    url: urlOf(item),
  }));
  const count = (type: MediaType): number => items.filter((item) => item.type === type).length;
  const first = count('first_frame');
  const last = count('last_frame');
  const audio = count('driving_audio');
  const references = count('reference_image');
  if (first + last > 0 && references > 0)
    throw invalid('A first frame and a reference set cannot be in the same body.');
  if (first > 1 || last > 1 || audio > 1)
    throw invalid('Only one first_frame, last_frame and driving_audio are allowed.');
  if (last > 0 && !model.takesLastFrame) throw invalid(`'${model.id}' takes a first frame only.`);
  if (audio > 0 && !model.takesDrivingAudio) throw invalid(`'${model.id}' takes no driving_audio.`);
  if ((last > 0 || audio > 0) && first === 0) throw invalid('last_frame and driving_audio need a first_frame.');
  if (references > model.referencesMax) {
    throw invalid(`'${model.id}' takes up to ${model.referencesMax} references, got ${references}.`);
  }
  checkTask(model, first > 0 ? 'i2v' : references > 0 ? 'r2v' : 't2v');
  const media: SharedMedia = { urls: [], hasTrack: audio > 0 };
  media.urls = items.map((item) => ({
    url: item.url,
    problem: (bytes) => {
      const ratio = item.type === 'first_frame' ? imageRatio(bytes) : undefined;
      if (ratio !== undefined) media.ratio = ratio;
      return problemOf(item.type, model, bytes, megabyteBytes);
    },
  }));
  return media;
}

function urlOf(item: Fields): string {
  const url = item.needString('url');
  if (!isWebUrl(url)) throw invalid(`'${item.path('url')}' must be a URL that is reachable from the internet.`);
  return url;
}

function checkTask(model: SharedModel, task: Exclude<SharedModel['task'], 'any'>): void {
  if (model.task === 'any' || model.task === task) return;
  const needs = { t2v: 'no media', i2v: 'a first_frame', r2v: 'reference_image items' } as const;
  throw invalid(`'${model.id}' needs ${needs[model.task]}.`);
}

async function problemOf(
  type: MediaType,
  model: SharedModel,
  bytes: Buffer,
  megabyteBytes: number,
): Promise<string | undefined> {
  if (type === 'driving_audio') {
    const format = (await clipFacts(bytes))?.format;
    return format === 'wav' || format === 'mp3' ? undefined : 'is not a WAV or MP3 track';
  }
  const isReference = type === 'reference_image';
  if (model.family === 'vendor-g')
    return imageProblem(bytes, isReference ? G_REFERENCE_LIMITS : G_FRAME_LIMITS, megabyteBytes);
  if (isReference) return imageProblem(bytes, C_REFERENCE_LIMITS, megabyteBytes);
  return imageFacts(bytes) === undefined ? 'cannot be decoded as an image' : undefined;
}
