/** The token-billed video family, `vendor-d` (service document 2). */

import { z } from 'zod';
import { defined } from '../../domain/defined.js';
import type { JsonObject } from '../../domain/json.js';
import type { AsyncWire, Family } from '../adapter.js';
import {
  believed,
  created,
  failed,
  handleText,
  optionalText,
  readListed,
  type StatusTable,
  succeeded,
  unlessNone,
  unreadable,
  usageOf,
} from '../readings.js';
import { salvageHandle } from '../salvage.js';
import { all, fields, readAs, segment, urlOnly, withExtra } from '../wire.js';
import { vendorDVideo } from './columns.js';

const HANDLE_PREFIX = 'cgt-';

/** A clip of 15 s takes some hundred thousand. */
const TOKENS_MAX = 1_000_000_000;

const submitted = z.object({ id: handleText });
const tokens = z.object({ completion_tokens: z.number().refine(Number.isInteger) });
const polled = z.object({
  status: z.unknown().optional(),
  content: z.object({ video_url: optionalText }).optional().catch(undefined),
  error: z.unknown().optional(),
  usage: z.unknown().optional(),
});

const STATUS: StatusTable = new Map([
  ['queued', 'running'],
  ['running', 'running'],
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['cancelled', 'failed'],
  ['expired', 'failed'],
]);

const wire: AsyncWire = {
  submitRequest(row, media) {
    const text: JsonObject = fields({ type: 'text', text: row.cells.prompt });
    const frames = all(media, 'first_frame').map(
      (item): JsonObject => ({
        type: 'image_url',
        role: 'first_frame',
        image_url: { url: urlOnly(item, row, 'first_frame') },
      }),
    );
    const body = fields({
      model: row.cells.model,
      content: [text, ...frames],
      resolution: row.cells.resolution,
      generate_audio: row.cells.audio,
    });
    return { method: 'POST', path: vendorDVideo.path, body: withExtra(body, row.extra) };
  },
  readSubmit(answer) {
    const id = readAs(submitted, answer)?.id;
    if (id === undefined) return unreadable('the answer has no id');
    return created(answer, id, id.startsWith(HANDLE_PREFIX) ? undefined : `the handle lacks '${HANDLE_PREFIX}'`);
  },
  // A gateway's error may have an `id` of its own.
  salvageHandle(body, isAccepted) {
    const id = salvageHandle(body, ['id']);
    return isAccepted || id?.startsWith(HANDLE_PREFIX) ? id : undefined;
  },
  pollRequest: (handle) => ({ method: 'GET', path: `${vendorDVideo.path}/${segment(handle)}` }),
  readPoll(answer) {
    const task = readAs(polled, answer);
    if (task === undefined) return unreadable('the answer is not a task');
    return readListed(task.status, STATUS, {
      succeeded: () => {
        const url = task.content?.video_url;
        const warnings: string[] = [];
        const said = tokens.safeParse(task.usage).data?.completion_tokens;
        const billedTokens = believed('usage.completion_tokens', said, TOKENS_MAX, warnings);
        const facts = defined({ billedTokens, usage: usageOf(task.usage), warnings: unlessNone(warnings) });
        return succeeded(url ? [{ url }] : [], facts);
      },
      failed: (word) => failed(word, task.error),
    });
  },
};

export const vendorD: Family = { 'vendor-d/video': { rules: vendorDVideo, wire } };
