/**
 * Images from text or an image, short clips from text or one still image, all synchronous (service document 1,
 * Endpoints), and the result object that they share (Resources).
 */
import { z } from 'zod';
import type { ResponseFormat } from '../../domain/batch.js';
import { defined } from '../../domain/defined.js';
import type { Answer, Output, SubmitReading } from '../../domain/exchange.js';
import type { JsonObject } from '../../domain/json.js';
import type { Row } from '../../domain/row.js';
import type { Family, SalvagedOutput, SyncWire } from '../adapter.js';
import {
  believed,
  believedSeconds,
  optionalCount,
  optionalSeconds,
  optionalText,
  statusWarnings,
  unlessNone,
  unreadable,
} from '../readings.js';
import { plainBase64, salvageBytes, salvageString } from '../salvage.js';
import { columns, readAs, required, urlOrDataUri, withExtra } from '../wire.js';
import { svcAnimation, svcClip } from './clip-columns.js';
import { svcEdit } from './edit-columns.js';
import { svcImage } from './image-columns.js';

const IMAGE_COLUMNS = [
  'model',
  'prompt',
  'tier',
  'width',
  'height',
  'steps',
  'true_cfg_scale',
  'prompt_expansion',
  'seed',
] as const;
const EDIT_COLUMNS = ['model', 'prompt', 'tier', 'width', 'height', 'seed'] as const;

/** `tier` is not among them: the document asks not to send it. */
const CLIP_COLUMNS = ['model', 'prompt', 'width', 'height', 'duration', 'seed'] as const;

const common = { readSubmit: readSvcResult, salvageOutput: salvageSvcOutput };

const imageWire: SyncWire = {
  ...common,
  submitRequest(row, _media, { responseFormat }) {
    const body = { ...columns(row, IMAGE_COLUMNS), response_format: responseFormat };
    return { method: 'POST', path: svcImage.path, body: withExtra(body, row.extra) };
  },
};

const editWire: SyncWire = {
  ...common,
  submitRequest(row, media, { responseFormat }) {
    const url = urlOrDataUri(required(media, row, 'image'));
    const body = { ...columns(row, EDIT_COLUMNS), url, response_format: responseFormat };
    return { method: 'POST', path: svcEdit.path, body: withExtra(body, row.extra) };
  },
};

const clipWire: SyncWire = {
  ...common,
  submitRequest(row, _media, { responseFormat, aliasPaths }) {
    const path = aliasPaths ? '/v1/videos/generations' : svcClip.path;
    return { method: 'POST', path, body: withExtra(clipFields(row, responseFormat), row.extra) };
  },
};

const animationWire: SyncWire = {
  ...common,
  submitRequest(row, media, { responseFormat, aliasPaths }) {
    const path = aliasPaths ? '/v1/videos/animations' : svcAnimation.path;
    const url = urlOrDataUri(required(media, row, 'image'));
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    return { method: 'POST', path, body: withExtra({ ...clipFields(row, responseFormat), messages }, row.extra) };
  },
};

function clipFields(row: Row, responseFormat: ResponseFormat): JsonObject {
  const { audio } = row.cells;
  return {
    ...columns(row, CLIP_COLUMNS),
    ...(audio === undefined ? {} : { extra: { audio } }),
    response_format: responseFormat,
  };
}

export const svc: Family = {
  'svc/image': { rules: svcImage, wire: imageWire },
  'svc/edit': { rules: svcEdit, wire: editWire },
  'svc/clip': { rules: svcClip, wire: clipWire },
  'svc/animation': { rules: svcAnimation, wire: animationWire },
};

/** The media type and its parameters stand before the bytes. */
const DATA_URI_HEAD_MAX = 300;
/** A day at 24 frames per second. */
const FRAMES_MAX = 86_400 * 24;

const item = z.object({
  url: optionalText,
  b64_json: optionalText,
  revised_prompt: optionalText,
  width: optionalCount,
  height: optionalCount,
  duration: optionalSeconds,
  frames: optionalCount,
  frame_rate: optionalCount,
});

/** An item that is no object announces nothing, and does not hide the others. */
const NOTHING: z.output<typeof item> = {};

const result = z.object({
  data: z.array(item.catch(NOTHING)),
  seed: z.unknown().optional(),
});

/** Reads an image or clip result. Every item with a `url` or `b64_json` is an output. */
export function readSvcResult(answer: Answer): SubmitReading {
  const read = readAs(result, answer);
  if (read === undefined) return unreadable('the answer is not a generation result');
  const warnings = statusWarnings(answer);
  const outputs = read.data.flatMap((entry) => outputOf(entry, warnings));
  const [output, ...others] = outputs;
  if (output === undefined) return unreadable('the answer has no item with a url or b64_json');
  if (outputs.length < read.data.length) warnings.push(`${read.data.length - outputs.length} items have no data`);
  const seed = typeof read.seed === 'number' && Number.isSafeInteger(read.seed) ? read.seed : undefined;
  // A seed beyond 2^53 was rounded when the JSON was read: to repeat it would give another clip.
  if (typeof read.seed === 'number' && seed === undefined) warnings.push('the seed is too large to be kept exactly');
  const revised = read.data.find((entry) => entry.revised_prompt !== undefined)?.revised_prompt;
  return {
    reading: 'done',
    outputs,
    facts: defined({
      seed,
      revisedPrompt: revised,
      // Clips are billed per second of output (service document 1, "Billing basis").
      billedSeconds: others.length === 0 ? secondsOf(output) : undefined,
      warnings: unlessNone(warnings),
    }),
  };
}

function secondsOf({ durationSeconds, frames, frameRate }: Output): number | undefined {
  if (durationSeconds !== undefined || frames === undefined || frameRate === undefined) return durationSeconds;
  return frames / frameRate;
}

/** The first item's URL, else its bytes, from an answer that is no result by its status or was cut. */
export function salvageSvcOutput(body: Uint8Array): SalvagedOutput | undefined {
  const url = salvageString(body, ['data', 0, 'url']);
  if (url !== undefined && !isDataUri(url)) return { url };
  const inUrl = url === undefined ? undefined : plainBase64(url);
  if (inUrl !== undefined) return { bytes: Buffer.from(inUrl, 'base64'), isWhole: false };
  const bytes = salvageBytes(body, ['data', 0, 'b64_json']);
  return bytes && { bytes, isWhole: false };
}

/** A URL that is the file itself: its bytes are stored as those of `b64_json` are. */
function isDataUri(url: string | undefined): boolean {
  return /^data:[^,]*;base64,/i.test(url?.slice(0, DATA_URI_HEAD_MAX) ?? '');
}

/** With both, each stands in for the other. */
function outputOf(entry: z.output<typeof item>, warnings: string[]): Output[] {
  const isFile = isDataUri(entry.url);
  const url = entry.url === '' || isFile ? undefined : entry.url;
  const base64 = plainBase64((isFile && entry.url) || (entry.b64_json ?? ''));
  if (url === undefined && base64 === undefined) return [];
  return [
    defined({
      url,
      base64,
      width: entry.width,
      height: entry.height,
      durationSeconds: believedSeconds('data[].duration', entry.duration, warnings),
      frames: believed('data[].frames', entry.frames, FRAMES_MAX, warnings),
      frameRate: entry.frame_rate,
    }),
  ];
}
