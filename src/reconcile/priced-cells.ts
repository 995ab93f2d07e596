import { isJsonObject, type Json } from '../domain/json.js';
import type { Row } from '../domain/row.js';

/** What the price of a row depends on, with the documents' defaults filled in. */
export interface PricedCells {
  model: string | undefined;
  tier: string | undefined;
  steps: number | undefined;
  resolution: string | undefined;
  mode: string | undefined;
  audio: boolean | undefined;
  sound: string | undefined;
  /** Output size in pixels, where the request fixes it. */
  pixels: number | undefined;
  /** Output seconds, where the request fixes them. */
  seconds: number | undefined;
  inputSeconds: number | undefined;
  referenceImages: number;
  /** False where reference video is sent, whose length the request does not tell. */
  referenceSecondsKnown: boolean;
}

const DELTA = 'svc-delta-4';
const GAMMA = 'svc-gamma-o1-image';

/** Reads the cells of a row that a price can depend on (service documents 1 and 2, the submit bodies' defaults). */
export function pricedCells(row: Row): PricedCells {
  const text = (name: string): string | undefined => {
    const value = row.cells[name];
    return typeof value === 'string' ? value : undefined;
  };
  const number = (name: string): number | undefined => {
    const value = row.cells[name];
    return typeof value === 'number' ? value : undefined;
  };
  const flag = (name: string): boolean | undefined => {
    const value = row.cells[name];
    return typeof value === 'boolean' ? value : undefined;
  };
  const model = text('model') ?? defaultModel(row);
  return {
    model,
    tier: text('tier') ?? (takesTier(row, model) ? 'radical_speed' : undefined),
    steps: number('steps') ?? (model === DELTA ? 48 : model === GAMMA ? 50 : undefined),
    resolution: text('resolution') ?? defaultResolution(row, number('height')),
    mode: row.kind.startsWith('vendor-a/') ? (text('mode') ?? 'std') : undefined,
    audio: flag('audio') ?? defaultAudio(row),
    sound: row.kind.startsWith('vendor-a/') ? (text('sound') ?? 'off') : undefined,
    pixels: pixels(row, model, number('width'), number('height')),
    seconds: seconds(row, number('duration')),
    inputSeconds: number('input_video_seconds'),
    referenceImages: row.media.reference_images?.length ?? 0,
    referenceSecondsKnown: (row.media.reference_videos?.length ?? 0) === 0,
  };
}

function defaultModel(row: Row): string | undefined {
  switch (row.kind) {
    case 'vendor-a/text2video':
    case 'vendor-a/image2video':
    case 'vendor-a/motion-control':
      return 'vendor-a-v3';
    case 'vendor-a/omni-video':
      return 'vendor-a-v3-omni';
    case 'vendor-b/avatar':
      return row.media.image === undefined ? 'avatar_v' : 'avatar_iv';
    case 'vendor-d/video':
      return 'vendor-d-2-5-260628';
    case 'vendor-e/video':
      return 'Vendor-E-H3';
    default:
      return undefined;
  }
}

function takesTier(row: Row, model: string | undefined): boolean {
  return (row.kind === 'svc/image' && model !== DELTA) || row.kind === 'svc/edit';
}

function defaultResolution(row: Row, height: number | undefined): string | undefined {
  switch (row.kind) {
    case 'svc/clip':
    case 'svc/animation':
      return height === 720 ? '720p' : '1080p';
    case 'vendor-b/avatar':
      return '1080p';
    case 'vendor-c/video':
    case 'vendor-g/video':
      return '1080P';
    case 'vendor-d/video':
    case 'vendor-f/video':
      return '720p';
    default:
      return undefined;
  }
}

function defaultAudio(row: Row): boolean | undefined {
  if (row.kind === 'svc/clip' || row.kind === 'svc/animation') return false;
  return row.kind === 'vendor-d/video' ? true : undefined;
}

function pixels(row: Row, model: string | undefined, width?: number, height?: number): number | undefined {
  if (width !== undefined && height !== undefined) return width * height;
  return row.kind === 'svc/image' && model === DELTA ? 1024 * 1024 : undefined;
}

function seconds(row: Row, duration: number | undefined): number | undefined {
  const shots = row.cells.shots;
  if (Array.isArray(shots)) return shots.reduce((sum: number, shot: Json) => sum + shotSeconds(shot), 0);
  if (duration !== undefined) return duration;
  switch (row.kind) {
    case 'svc/clip':
    case 'svc/animation':
      return 6;
    case 'vendor-a/text2video':
    case 'vendor-a/image2video':
    case 'vendor-a/omni-video':
    case 'vendor-c/video':
    case 'vendor-g/video':
      return 5;
    case 'vendor-f/video':
      return 8;
    default:
      return undefined;
  }
}

function shotSeconds(shot: Json): number {
  const duration = isJsonObject(shot) ? Number(shot.duration) : Number.NaN;
  return Number.isFinite(duration) ? duration : 0;
}
