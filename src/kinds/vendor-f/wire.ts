/** The long-running-operation video family and the image interaction route, `vendor-f` (service documents 1 and 2). */

import { z } from 'zod';
import { defined } from '../../domain/defined.js';
import type { ErrorReading, PollReading, VendorRefusal } from '../../domain/exchange.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import type { AsyncWire, Family, SyncWire } from '../adapter.js';
import {
  created,
  endedUnreadably,
  failed,
  handleText,
  optionalText,
  statusWarnings,
  succeeded,
  unreadable,
} from '../readings.js';
import { salvageHandle } from '../salvage.js';
import { fields, one, readAs, readJson, segment, unlessEmpty, withExtra } from '../wire.js';
import { vendorFInteraction, vendorFVideo } from './columns.js';

const BASE_PATH = '/v1/vendor-f/v1beta';

/** "The provider could not be reached before anything was sent; nothing charged; retry with backoff." */
const UNREACHABLE_CODE = 'vendor-f_unreachable';

/**
 * "Message says the pass-through is not enabled: the route is not available." The wording is not shown, so any that
 * says so of pass-through or route is taken; what may pass is not.
 */
const PASS_THROUGH = /\bpass[\s_-]*through\b/i;
const ROUTE = /\b(routes?|endpoints?)\b/i;
const ENTRY = /\b(provider|partner|vendor-f|integration|feature|access)\b/i;
const SWITCHED_OFF =
  /(\bnot|n't|\bnever)( \w+){0,3} (enabled|activated|active|allowed|permitted|configured|supported|(switched|turned) on)\b|\b(disabled|deactivated|(switched|turned) off)\b/i;
const MISSING = /\bnot( \w+){0,2} available\b|\bn't( \w+)? available\b|\bunavailable\b/i;
/** What is not there may be back soon ("503: temporarily unavailable"), unless it is for somebody, or in the document's own words. */
const FOR_WHOM =
  /\b(account|plan|tier|subscription|organi[sz]ation|workspace|project|key|(for|to) you)\b|\broute is not available\b/i;
const PASSING =
  /temporar|(try again|retry) (later|in \d|soon)\b|\bmoment|\bshortly\b|timed? ?out|\bmaintenance\b|\bright now\b|\boverload/i;

/** What an error body has (service document 1, Errors), and nothing else. */
const ERROR_FIELDS = new Set(['error', 'detail', 'details', 'code', 'message', 'request_id', 'status']);

/** A gateway's error may have a `name` of its own: a few words, as no handle of about 260 characters is. */
const ERROR_NAME = /^[A-Za-z_ ]{1,64}$/;

const submitted = z.object({ name: handleText });
const sample = z.object({ video: z.object({ uri: optionalText }) }).catch({ video: {} });
const operation = z.object({
  done: z.unknown().optional(),
  error: z.unknown().optional(),
  response: z.unknown().optional(),
});
const response = z.object({ generateVideoResponse: z.object({ generatedSamples: z.array(sample) }) });

const filmWire: AsyncWire = {
  submitRequest(row, media) {
    const image = one(media, 'image');
    if (image?.form === 'url') throw new TypeError(`${row.kind}: 'image' is sent as bytes, got a URL`);
    const inline: JsonObject | undefined = image && { bytesBase64Encoded: image.base64, mimeType: image.mediaType };
    const { resolution, duration } = row.cells;
    const body = fields({
      instances: [fields({ prompt: row.cells.prompt, image: inline })],
      parameters: unlessEmpty(fields({ resolution, durationSeconds: duration })),
    });
    const path = vendorFVideo.path.replace('{model}', segment(String(row.cells.model)));
    return { method: 'POST', path, body: withExtra(body, row.extra) };
  },
  readSubmit(answer) {
    const read = readAs(submitted, answer);
    return read ? created(answer, read.name) : unreadable('the answer has no operation name');
  },
  salvageHandle(body, isAccepted) {
    const name = salvageHandle(body, ['name']);
    return !isAccepted && name !== undefined && ERROR_NAME.test(name) ? undefined : name;
  },
  readRefusal,
  pollRequest: (handle) => ({ method: 'GET', path: `${BASE_PATH}/operations/${segment(handle)}` }),
  echo: ['name'],
  // "No `operations/` prefix": what has one is the provider's own name of the operation, and no other job's handle.
  isEcho: (text) => !text.includes('operations/'),
  readPoll(answer) {
    const read = readAs(operation, answer);
    return read === undefined ? unreadable('the answer is not an operation') : readOperation(read);
  },
};

/**
 * The layout of the request and of the answer is not shown: the body goes out as the row has it, and the answer is
 * kept as it came, as the bytes of a JSON file.
 */
const interactionWire: SyncWire = {
  submitRequest(row) {
    const { body } = row.cells;
    if (!isJsonObject(body)) throw new TypeError(`${row.kind}: 'body' is a JSON object`);
    return { method: 'POST', path: vendorFInteraction.path, body };
  },
  readSubmit(answer) {
    const text = interactionOf(answer.body);
    if (text === undefined) return unreadable('the answer is not a JSON object with content, or it is an error');
    const warnings = statusWarnings(answer);
    return {
      reading: 'done',
      outputs: [{ base64: text.toString('base64') }],
      facts: defined({ warnings: warnings.length > 0 ? warnings : undefined }),
    };
  },
  // A connection that ends too late or too early does not make a whole object less whole.
  salvageOutput(body, isAccepted) {
    const bytes = isAccepted ? interactionOf(body) : undefined;
    return bytes && { bytes, isWhole: true };
  },
  readRefusal,
};

export const vendorF: Family = {
  'vendor-f/video': { rules: vendorFVideo, wire: filmWire },
  'vendor-f/interaction': { rules: vendorFInteraction, wire: interactionWire },
};

/**
 * The text of a whole JSON object with content that is no error by the general contract, without the marks and blanks
 * around it: the file shall be known as JSON by its first bytes.
 */
function interactionOf(body: Uint8Array): Buffer | undefined {
  const value = readJson(body);
  if (!isJsonObject(value)) return undefined;
  const names = Object.keys(value);
  const isError = names.some((name) => name === 'error' || name === 'detail');
  if (names.length === 0 || (isError && names.every((name) => ERROR_FIELDS.has(name)))) return undefined;
  return Buffer.from(Buffer.from(body).toString('utf8').trim());
}

function readOperation({ done, error, response: result }: z.output<typeof operation>): PollReading {
  if (done === false) return { reading: 'running', word: 'done: false', known: true };
  if (done !== true) {
    return { reading: 'running', word: done === undefined ? 'no done' : 'done is no boolean', known: false };
  }
  const read = response.safeParse(result);
  // An error "carries `message`": an empty object beside a film is the empty form of a field that is not set.
  const hasError = isJsonObject(error) && !(read.success && Object.keys(error).length === 0);
  if (hasError && read.success) return endedUnreadably('the operation is done with both an error and a response');
  if (hasError) return failed('done with error', error);
  if (!read.success) return endedUnreadably('the operation is done with neither an error nor a readable response');
  const uris = read.data.generateVideoResponse.generatedSamples.flatMap((entry) => entry.video.uri || []);
  return succeeded(
    uris.map((url) => ({ url })),
    {},
  );
}

function readRefusal(status: number, error: ErrorReading): VendorRefusal {
  if (status !== 503) return undefined;
  if (error.code === UNREACHABLE_CODE) return 'unreachable';
  return saysDisabled(error.message) || saysDisabled(error.code ?? '') ? 'disabled' : undefined;
}

function saysDisabled(words: string): boolean {
  const text = words.replaceAll(/[_\s]+/g, ' ').replaceAll('’', "'");
  if (PASSING.test(text)) return false;
  const isWay = PASS_THROUGH.test(text) || ROUTE.test(text);
  if (SWITCHED_OFF.test(text)) return isWay || ENTRY.test(text);
  return MISSING.test(text) && isWay && (PASS_THROUGH.test(text) || FOR_WHOM.test(text));
}
