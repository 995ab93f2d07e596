import type { Json } from './json.js';
import type { OutputFile } from './outcome.js';
import type { Row } from './row.js';

/** What a row asked its output to be, as far as the documents name it, and where a file disagrees. Pure. */
export interface AskedOutput {
  width?: number;
  height?: number;
  seconds?: number;
}

/** The canvases of the avatar endpoint at 16:9, its default (service document 2, "Avatar video: POST body"). */
const AVATAR_CANVAS: Record<string, [number, number]> = {
  '720p': [1280, 720],
  '1080p': [1920, 1080],
  '4k': [3840, 2160],
};

/** Empty where the documents leave size and length to the model. */
export function askedOutput({ kind, cells }: Pick<Row, 'kind' | 'cells'>): AskedOutput {
  switch (kind) {
    case 'svc/image':
    case 'svc/edit':
      return sizeOf(cells);
    case 'svc/clip':
      return { width: 1920, height: 1080, ...sizeOf(cells), seconds: numberOf(cells.duration) ?? 6 };
    case 'svc/animation':
      return { ...sizeOf(cells), seconds: numberOf(cells.duration) ?? 6 };
    case 'vendor-a/text2video':
    case 'vendor-a/image2video':
    case 'vendor-a/omni-video':
      // A storyboard ignores the duration; where its shots do not say how long they are, nobody knows.
      return isStoryboard(cells) ? lasting(shotSeconds(cells.shots)) : { seconds: numberOf(cells.duration) ?? 5 };
    case 'vendor-a/motion-control':
      return lasting(numberOf(cells.input_video_seconds));
    case 'vendor-b/avatar':
      return avatarCanvas(cells);
    case 'vendor-c/video':
    case 'vendor-g/video':
      return { seconds: numberOf(cells.duration) ?? 5 };
    case 'vendor-e/video':
      return lasting(numberOf(cells.duration));
    case 'vendor-f/video':
      return { seconds: numberOf(cells.duration) ?? 8 };
    case 'vendor-d/video':
    case 'vendor-f/interaction':
      return {};
  }
}

/** One sentence for each disagreement; a clip that is longer, or shorter by less than half, is none. */
export function disagreements(asked: AskedOutput, { width, height, durationSeconds }: Partial<OutputFile>): string[] {
  const found: string[] = [];
  if (asked.width !== undefined && asked.height !== undefined && width !== undefined && height !== undefined) {
    if (width !== asked.width || height !== asked.height) {
      found.push(`the output is ${width}x${height}, asked for ${asked.width}x${asked.height}`);
    }
  }
  if (asked.seconds !== undefined && durationSeconds !== undefined && durationSeconds < asked.seconds / 2) {
    const seconds = Math.round(durationSeconds * 100) / 100;
    found.push(`the clip is ${seconds} s long, less than half of the ${asked.seconds} s asked for`);
  }
  return found;
}

function sizeOf(cells: Row['cells']): AskedOutput {
  const width = numberOf(cells.width);
  const height = numberOf(cells.height);
  return width === undefined || height === undefined ? {} : { width, height };
}

function lasting(seconds: number | undefined): AskedOutput {
  return seconds === undefined ? {} : { seconds };
}

function avatarCanvas({ resolution, aspect_ratio: ratio }: Row['cells']): AskedOutput {
  if (ratio !== undefined && ratio !== '16:9') return {};
  const canvas = AVATAR_CANVAS[typeof resolution === 'string' ? resolution : '1080p'];
  return canvas === undefined ? {} : { width: canvas[0], height: canvas[1] };
}

function isStoryboard({ shots, shot_type: shotType }: Row['cells']): boolean {
  return shots !== undefined || shotType !== undefined;
}

/** A storyboard is as long as its shots together. */
function shotSeconds(shots: Json | undefined): number | undefined {
  if (!Array.isArray(shots) || shots.length === 0) return undefined;
  let sum = 0;
  for (const shot of shots) {
    const seconds = typeof shot === 'object' && shot !== null && !Array.isArray(shot) ? shot.duration : undefined;
    const length = numberOf(seconds);
    if (length === undefined) return undefined;
    sum += length;
  }
  return sum;
}

/** A number, or one that a cell holds as text. */
function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
