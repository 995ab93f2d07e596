/** The token-billed video family, `vendor-d` (service document 2). */

import { z } from 'zod';
import { defined, type JsonObject } from '../../domain/json.js';
import type { AsyncAdapter } from '../adapter.js';
import {
  believed,
  created,
  failed,
  GENERAL_ERRORS,
  handleText,
  optionalText,
  readStatus,
  type StatusTable,
  succeeded,
  unlessNone,
  unreadable,
  usageOf,
} from '../readings.js';
import { salvageString } from '../salvage.js';
import { all, fields, readAs, segment, urlOnly, withExtra } from '../wire.js';
import { MODEL } from './facts.js';

const TASKS_PATH = '/v1/vendor-d/contents/generations/tasks';
const HANDLE_PREFIX = 'cgt-';
const POLL_BASE_MS = 5_000;

/** A clip of 15 s takes some hundred thousand. */
const TOKENS_MAX = 1_000_000_000;

/** "Output URLs expire within hours." */
const URL_LIFE_MS = 3_600_000;

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

export function createVendorDAdapter(): AsyncAdapter {
  return {
    kind: 'vendor-d/video',
    flow: 'async',
    entrypoint: null,
    charge: 'at-completion',
    errorForms: GENERAL_ERRORS,
    urlLifeMs: URL_LIFE_MS,
    pollBaseMs: POLL_BASE_MS,
    handleLifeMs: null,
    freshUrlOnPoll: false,
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
        model: row.cells.model ?? MODEL,
        content: [text, ...frames],
        resolution: row.cells.resolution,
        generate_audio: row.cells.audio,
      });
      return { method: 'POST', path: TASKS_PATH, body: withExtra(body, row.extra) };
    },
    readSubmit(answer) {
      const id = readAs(submitted, answer)?.id;
      if (id === undefined) return unreadable('the answer has no id');
      return created(answer, id, id.startsWith(HANDLE_PREFIX) ? undefined : `the handle lacks '${HANDLE_PREFIX}'`);
    },
    // A gateway's error may have an `id` of its own.
    salvageHandle(body, isAccepted) {
      const id = salvageString(body, ['id']);
      return isAccepted || id?.startsWith(HANDLE_PREFIX) ? id : undefined;
    },
    readRefusal: () => undefined,
    pollRequest: (handle) => ({ method: 'GET', path: `${TASKS_PATH}/${segment(handle)}` }),
    readPoll(answer) {
      const task = readAs(polled, answer);
      if (task === undefined) return unreadable('the answer is not a task');
      return readStatus(task.status, STATUS, {
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
}
