/** Talking-avatar video, `vendor-b` (service document 2, Avatar video). */

import { z } from 'zod';
import { defined } from '../../domain/defined.js';
import type { ServiceRequest } from '../../domain/exchange.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import type { ResolvedMedia, ResolvedMediaSet, Row } from '../../domain/row.js';
import type { AsyncWire, Family } from '../adapter.js';
import {
  believedSeconds,
  created,
  failed,
  handleText,
  optionalSeconds,
  optionalText,
  readStatus,
  type StatusTable,
  succeeded,
  unlessNone,
  unreadable,
} from '../readings.js';
import { salvageHandle } from '../salvage.js';
import { columns, fields, one, readAs, segment, urlOnly, withExtra } from '../wire.js';
import { vendorBAvatar } from './columns.js';

/** Lists the voices that `voice_id` takes; free (service document 2, Endpoints). */
export const VOICES_REQUEST: ServiceRequest = { method: 'GET', path: '/v1/vendor-b/v3/voices' };

const submitted = z.object({ data: z.object({ video_id: handleText }) });
const polled = z.object({
  data: z.looseObject({ status: z.unknown().optional(), duration: optionalSeconds, video_url: optionalText }),
  error: z.unknown().optional(),
});

const STATUS: StatusTable = new Map([
  ['waiting', 'running'],
  ['pending', 'running'],
  ['processing', 'running'],
  ['completed', 'succeeded'],
  ['failed', 'failed'],
]);

/** Fields of a poll answer that do not give the reason of a failure. */
const DOCUMENTED = new Set(['id', 'status', 'duration', 'video_url', 'output_format']);

const wire: AsyncWire = {
  submitRequest(row, media) {
    const body = {
      ...faceOf(row, media),
      ...speechOf(row, media),
      ...columns(row, ['resolution', 'aspect_ratio']),
    };
    return { method: 'POST', path: vendorBAvatar.path, body: withExtra(body, row.extra) };
  },
  readSubmit(answer) {
    const read = readAs(submitted, answer);
    return read ? created(answer, read.data.video_id) : unreadable('the answer has no data.video_id');
  },
  salvageHandle: (body) => salvageHandle(body, ['data', 'video_id']),
  pollRequest: (handle) => ({ method: 'GET', path: `${vendorBAvatar.path}/${segment(handle)}` }),
  echo: ['data', 'id'],
  // "Only `completed` and `failed` are terminal; any other value means still running."
  otherWordsRun: true,
  readPoll(answer) {
    const read = readAs(polled, answer);
    if (read === undefined) return unreadable('the answer is not an avatar job');
    const { data: job, error } = read;
    return readStatus(job.status, STATUS, {
      succeeded: () => {
        const { video_url: url } = job;
        const warnings: string[] = [];
        const seconds = believedSeconds('data.duration', job.duration, warnings);
        const outputs = url ? [defined({ url, durationSeconds: seconds })] : [];
        return succeeded(outputs, defined({ billedSeconds: seconds, warnings: unlessNone(warnings) }));
      },
      failed: (word) => failed(word, reasonOf(job, error)),
    });
  },
};

export const vendorB: Family = { 'vendor-b/avatar': { rules: vendorBAvatar, wire } };

/** The photo engine for an image, the catalog-avatar engine for an avatar id. */
function faceOf(row: Row, media: ResolvedMediaSet): JsonObject {
  const image = one(media, 'image');
  if (image !== undefined) return { type: 'image', image: photoOf(image) };
  return { type: 'avatar', ...columns(row, ['avatar_id']), engine: { type: 'avatar_v' } };
}

function photoOf(image: ResolvedMedia): JsonObject {
  if (image.form === 'url') return { type: 'url', url: image.url };
  return { type: 'base64', media_type: image.mediaType, data: image.base64 };
}

function speechOf(row: Row, media: ResolvedMediaSet): JsonObject {
  const audio = one(media, 'audio');
  return fields({
    audio_url: audio && urlOnly(audio, row, 'audio'),
    script: row.cells.script,
    voice_id: row.cells.voice_id,
  });
}

/**
 * "Reason in the body", without a field name: the first message found in the job, else the error beside it, else all
 * fields that are not documented. A message beside the job may say no more than that the poll went well.
 */
function reasonOf(job: Record<string, unknown>, error: unknown): unknown {
  const isOther = ([name, value]: [string, unknown]) => !DOCUMENTED.has(name) && !isEmpty(value);
  const rest = Object.fromEntries(Object.entries(job).filter(isOther));
  for (const value of [rest.error, rest.message, rest.reason, error]) {
    if ((isJsonObject(value) || typeof value === 'string') && !isEmpty(value)) return value;
  }
  return rest;
}

function isEmpty(value: unknown): boolean {
  return value === '' || (isJsonObject(value) && Object.keys(value).length === 0);
}
