/** `content` of a vendor-e request: items, roles, counts and file limits (service document 2, `vendor-e` and Limits). */

import { decodeDataUri, isWebUrl } from '../media/input-media.js';
import { clipFacts } from '../media/media-facts.js';
import {
  type ClipLimits,
  clipProblem,
  type ImageLimits,
  imageProblem,
  imageRatio,
  MEGABYTE,
  type UrlToInspect,
} from '../media/media-limits.js';
import type { Assumptions } from '../model/assumptions.js';
import { invalid } from '../model/errors.js';
import type { JobFailure } from '../model/job.js';
import { createRandom } from '../model/random.js';
import { checkLength, type Fields } from './checks.js';

const TEXT_MAX = 7000;
const FILES_MAX = 12;
const CONTAINERS = ['image_url', 'video_url', 'audio_url'] as const;
type Container = (typeof CONTAINERS)[number];

/** The roles, the container each works on, and how many a body may have. */
const ROLES: Readonly<Record<string, { container: Container; max: number; isFrame: boolean }>> = {
  first_frame: { container: 'image_url', max: 1, isFrame: true },
  last_frame: { container: 'image_url', max: 1, isFrame: true },
  reference_image: { container: 'image_url', max: 9, isFrame: false },
  reference_video: { container: 'video_url', max: 3, isFrame: false },
  reference_audio: { container: 'audio_url', max: 1, isFrame: false },
};

const IMAGE_LIMITS: ImageLimits = {
  formats: ['jpeg', 'png', 'webp', 'heic'],
  bytesMax: 30 * MEGABYTE,
  sideMin: 256,
  sideMax: 5760,
  ratioMin: 0,
  ratioMax: Number.POSITIVE_INFINITY,
};
const VIDEO_LIMITS: ClipLimits = { formats: ['mp4', 'mov'], bytesMax: 50 * MEGABYTE, secondsMin: 2, secondsMax: 15 };
const AUDIO_LIMITS: ClipLimits = { formats: ['wav', 'mp3'], bytesMax: 15 * MEGABYTE, secondsMin: 2, secondsMax: 15 };
const REFERENCE_SECONDS_MAX = 15;
const SECONDS_SLACK = 0.1;

interface Item {
  container: Container;
  url: string;
  /** Undefined where the role does not fit the container: such an item is accepted and does nothing. */
  role: string | undefined;
  seconds?: number;
  /** Width over height of an image, once it was looked at. */
  ratio?: number;
}

export interface Content {
  isTextOnly: boolean;
  referenceImages: number;
  /** Files by URL, which are looked at when the job runs. */
  urls: UrlToInspect[];
  /** Billed seconds of reference video, as far as they are known. */
  referenceSeconds: () => number;
  /** Width over height of the first image or frame that was looked at: the output follows the source. */
  ratio: () => number | undefined;
  /** Why the set as a whole is refused after acceptance. */
  problemOfAll: () => JobFailure | undefined;
}

/** Checks the items; inline files are checked now, files by URL when the job runs ("not checked at submit"). */
export async function readContent(body: Fields, assumptions: Assumptions): Promise<Content> {
  const { megabyteBytes, unseenReferenceSeconds } = assumptions;
  const [text, ...rest] = body.objects('content') ?? [];
  if (text === undefined) throw invalid("'content' is required.");
  if (text.needOneOf('type', ['text', ...CONTAINERS]) !== 'text')
    throw invalid("'content' must begin with the text item.");
  checkLength(text.path('text'), text.needString('text'), TEXT_MAX);
  const items = rest.map(readItem);
  checkRoles(items);
  for (const item of items) await checkInline(item, megabyteBytes);
  const clips = items.filter((item) => item.role === 'reference_video');
  // The clips last 15 s in total at most, and so do those that cannot be seen from here.
  const unseen = (clip: Item): number =>
    Math.min(createRandom(0, clip.url).between(...unseenReferenceSeconds), REFERENCE_SECONDS_MAX / clips.length);
  const referenceSeconds = (): number => clips.reduce((sum, clip) => sum + (clip.seconds ?? unseen(clip)), 0);
  return {
    isTextOnly: items.length === 0,
    referenceImages: items.filter((item) => item.role === 'reference_image').length,
    urls: items
      .filter((item) => isWebUrl(item.url))
      .map((item) => ({ url: item.url, problem: (bytes) => look(item, bytes, megabyteBytes) })),
    referenceSeconds,
    ratio: () => items.find((item) => item.role !== undefined && item.ratio !== undefined)?.ratio,
    problemOfAll: () =>
      clips.some((clip) => clip.seconds === undefined) || referenceSeconds() <= REFERENCE_SECONDS_MAX + SECONDS_SLACK
        ? undefined
        : { message: `The reference clips last more than ${REFERENCE_SECONDS_MAX} s.`, code: 'InvalidParameter' },
  };
}

function readItem(item: Fields): Item {
  const container = item.needOneOf('type', CONTAINERS);
  const role = item.string('role');
  if (role !== undefined && !Object.hasOwn(ROLES, role)) {
    throw invalid(`'${item.path('role')}' must be one of ${Object.keys(ROLES).join(', ')}; got '${role}'.`);
  }
  const inner = item.needObject(container);
  const url = inner.needString('url');
  if (!isWebUrl(url) && decodeDataUri(url) === undefined) {
    throw invalid(`'${inner.path('url')}' must be a public URL or a base64 data URI.`);
  }
  return { container, url, role: role !== undefined && ROLES[role]?.container === container ? role : undefined };
}

function checkRoles(items: readonly Item[]): void {
  if (items.length > FILES_MAX) throw invalid(`At most ${FILES_MAX} files are allowed, got ${items.length}.`);
  for (const [role, { max }] of Object.entries(ROLES)) {
    const count = items.filter((item) => item.role === role).length;
    if (count > max) throw invalid(`At most ${max} '${role}' are allowed, got ${count}.`);
  }
  const isFrame = (item: Item): boolean => item.role !== undefined && ROLES[item.role]?.isFrame === true;
  const hasReference = items.some((item) => item.role !== undefined && !isFrame(item));
  if (items.some(isFrame) && hasReference)
    throw invalid('Frame roles and reference roles cannot be mixed in one body.');
}

async function checkInline(item: Item, megabyteBytes: number): Promise<void> {
  const inline = decodeDataUri(item.url);
  const problem = inline === undefined ? undefined : await look(item, inline.bytes, megabyteBytes);
  if (problem !== undefined) throw invalid(`A file given inline ${problem}.`);
}

/** Why the bytes of an item are refused; remembers how long a clip is. */
async function look(item: Item, bytes: Buffer, megabyteBytes: number): Promise<string | undefined> {
  if (item.container === 'image_url') {
    const ratio = imageRatio(bytes);
    if (ratio !== undefined) item.ratio = ratio;
    return imageProblem(bytes, IMAGE_LIMITS, megabyteBytes);
  }
  const limits = item.container === 'video_url' ? VIDEO_LIMITS : AUDIO_LIMITS;
  const problem = await clipProblem(bytes, limits, megabyteBytes);
  if (problem === undefined && item.container === 'video_url') item.seconds = (await clipFacts(bytes))?.seconds ?? 0;
  return problem;
}
