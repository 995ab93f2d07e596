/** The omni-modal video model, `vendor-e` (service document 2). */

import { z } from 'zod';
import { defined } from '../../domain/defined.js';
import type { JsonObject } from '../../domain/json.js';
import type { ResolvedMediaSet, Row } from '../../domain/row.js';
import type { AsyncWire, Family } from '../adapter.js';
import {
  created,
  failed,
  handleText,
  lengthsIn,
  optionalText,
  readListed,
  type StatusTable,
  succeeded,
  unreadable,
  usageOf,
} from '../readings.js';
import { salvageHandle } from '../salvage.js';
import { all, columns, fields, readAs, segment, urlOnly, withExtra } from '../wire.js';
import { vendorEVideo } from './columns.js';

const QUERY_PATH = '/v1/vendor-e/v2/query/video_generation';

/** Each media column, its role, and the one container in which that role works: elsewhere it is silently ignored. */
const ROLES = [
  ['first_frame', 'first_frame', 'image_url'],
  ['last_frame', 'last_frame', 'image_url'],
  ['reference_images', 'reference_image', 'image_url'],
  ['reference_videos', 'reference_video', 'video_url'],
  ['reference_audio', 'reference_audio', 'audio_url'],
] as const;

const submitted = z.object({ task_id: handleText });
const polled = z.object({
  task: z.object({
    status: z.unknown().optional(),
    content: z.object({ url: optionalText }).optional().catch(undefined),
    error: z.unknown().optional(),
    usage: z.unknown().optional(),
  }),
});

const STATUS: StatusTable = new Map([
  ['queued', 'running'],
  ['running', 'running'],
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['cancelled', 'failed'],
]);

const wire: AsyncWire = {
  submitRequest(row, media) {
    const body = fields({
      model: row.cells.model,
      content: [fields({ type: 'text', text: row.cells.prompt }), ...mediaItems(row, media)],
      ...columns(row, ['resolution', 'duration', 'ratio']),
    });
    return { method: 'POST', path: vendorEVideo.path, body: withExtra(body, row.extra) };
  },
  readSubmit(answer) {
    const read = readAs(submitted, answer);
    return read ? created(answer, read.task_id) : unreadable('the answer has no task_id');
  },
  salvageHandle: (body) => salvageHandle(body, ['task_id']),
  pollRequest: (handle) => ({ method: 'GET', path: `${QUERY_PATH}/${segment(handle)}` }),
  readPoll(answer) {
    const task = readAs(polled, answer)?.task;
    if (task === undefined) return unreadable('the answer has no task');
    return readListed(task.status, STATUS, {
      succeeded: () => {
        const url = task.content?.url;
        const usage = usageOf(task.usage);
        const shownSeconds = usage === undefined ? undefined : lengthsIn(usage);
        return succeeded(url ? [{ url }] : [], defined({ usage, shownSeconds }));
      },
      failed: (word) => failed(word, task.error),
    });
  },
};

export const vendorE: Family = { 'vendor-e/video': { rules: vendorEVideo, wire } };

function mediaItems(row: Row, media: ResolvedMediaSet): JsonObject[] {
  return ROLES.flatMap(([column, role, container]) =>
    all(media, column).map(
      (item): JsonObject => ({
        type: container,
        role,
        [container]: { url: urlOnly(item, row, column) },
      }),
    ),
  );
}
