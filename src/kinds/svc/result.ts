/** The result object that the four synchronous `svc` endpoints share (service document 1, Resources). */

import { z } from 'zod';
import type { Answer, Output, SubmitReading } from '../../domain/exchange.js';
import { defined } from '../../domain/json.js';
import type { SalvagedOutput } from '../adapter.js';
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
import { readAs } from '../wire.js';

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
  return /^data:[^,]*;base64,/i.test(url ?? '');
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
