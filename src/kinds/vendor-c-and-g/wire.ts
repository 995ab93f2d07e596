/** The two video families that share one route, `vendor-c` and `vendor-g` (service document 2, Shared route). */

import { z } from 'zod';
import { defined } from '../../domain/defined.js';
import type { JsonObject } from '../../domain/json.js';
import type { ResolvedMediaSet, Row } from '../../domain/row.js';
import type { AsyncWire, Family } from '../adapter.js';
import {
  created,
  failed,
  handleText,
  optionalText,
  readListed,
  SHARED_ROUTE_ERRORS,
  type StatusTable,
  succeeded,
  unreadable,
} from '../readings.js';
import { salvageHandle } from '../salvage.js';
import { all, columns, fields, readAs, segment, unlessEmpty, urlOnly, withExtra } from '../wire.js';
import { vendorCVideo } from './c-columns.js';
import { vendorGVideo } from './g-columns.js';
import { SUBMIT_PATH } from './shared-columns.js';

const TASKS_PATH = '/v1/vendor-c/tasks';

/** Media columns and the item type each stands for, in the order they are sent; `Image n` counts this order. */
const MEDIA_TYPES = [
  ['first_frame', 'first_frame'],
  ['last_frame', 'last_frame'],
  ['driving_audio', 'driving_audio'],
  ['reference_images', 'reference_image'],
] as const;

const submitted = z.object({ output: z.object({ task_id: handleText }) });
const polled = z.object({
  output: z.object({
    task_status: z.unknown().optional(),
    video_url: optionalText,
    code: z.unknown().optional(),
    message: z.unknown().optional(),
  }),
});

const STATUS: StatusTable = new Map([
  ['PENDING', 'running'],
  ['RUNNING', 'running'],
  ['SUCCEEDED', 'succeeded'],
  ['FAILED', 'failed'],
  ['CANCELED', 'failed'],
]);

const wire: AsyncWire = {
  errorForms: SHARED_ROUTE_ERRORS,
  submitRequest(row, media) {
    const items = mediaOf(row, media);
    const body = fields({
      model: row.cells.model,
      input: fields({ prompt: row.cells.prompt, media: items.length > 0 ? items : undefined }),
      parameters: unlessEmpty(columns(row, ['resolution', 'duration', 'watermark'])),
    });
    return { method: 'POST', path: SUBMIT_PATH, body: withExtra(body, row.extra) };
  },
  readSubmit(answer) {
    const read = readAs(submitted, answer);
    return read ? created(answer, read.output.task_id) : unreadable('the answer has no output.task_id');
  },
  salvageHandle: (body) => salvageHandle(body, ['output', 'task_id']),
  pollRequest: (handle) => ({ method: 'GET', path: `${TASKS_PATH}/${segment(handle)}` }),
  readPoll(answer) {
    const output = readAs(polled, answer)?.output;
    if (output === undefined) return unreadable('the answer is not a task');
    return readListed(output.task_status, STATUS, {
      succeeded: () => succeeded(output.video_url ? [{ url: output.video_url }] : [], {}),
      failed: (word) => failed(word, defined({ code: output.code ?? undefined, message: output.message ?? undefined })),
    });
  },
};

export const vendorCAndG: Family = {
  'vendor-c/video': { rules: vendorCVideo, wire },
  'vendor-g/video': { rules: vendorGVideo, wire },
};

function mediaOf(row: Row, media: ResolvedMediaSet): JsonObject[] {
  return MEDIA_TYPES.flatMap(([column, type]) =>
    all(media, column).map((item) => ({ type, url: urlOnly(item, row, column) })),
  );
}
