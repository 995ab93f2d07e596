/** Multi-mode video, `vendor-a`: four capabilities on one task shape (service document 2, Multi-mode video). */

import { z } from 'zod';
import { defined } from '../../domain/defined.js';
import type { PollReading, SubmitReading } from '../../domain/exchange.js';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import type { ResolvedMediaSet, Row } from '../../domain/row.js';
import { safeText } from '../../domain/secret.js';
import type { AsyncWire, Family, SubmitOptions } from '../adapter.js';
import {
  believedSeconds,
  created,
  failed,
  handleText,
  NUMBERED_ERRORS,
  optionalSeconds,
  optionalText,
  readListed,
  type StatusTable,
  succeeded,
  unlessNone,
  unreadable,
} from '../readings.js';
import type { KindRules } from '../rule.js';
import { salvageHandle } from '../salvage.js';
import { all, asText, columns, fields, readAs, required, segment, urlOnly, urlOrRaw, withExtra } from '../wire.js';
import { vendorAImage2Video, vendorAText2Video } from './columns.js';
import { vendorAMotionControl } from './motion-columns.js';
import { vendorAOmniVideo } from './omni-columns.js';

const told = { code: z.unknown().optional(), message: optionalText };
const submitted = z.object({
  ...told,
  data: z.object({ task_id: z.unknown().optional() }).optional().catch(undefined),
});
const video = z.object({ url: optionalText, duration: optionalSeconds }).catch({});
const polled = z.object({
  ...told,
  data: z
    .object({
      task_status: z.unknown().optional(),
      task_status_msg: optionalText,
      task_result: z
        .object({ videos: z.array(video) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

const STATUS: StatusTable = new Map([
  ['submitted', 'running'],
  ['processing', 'running'],
  ['succeed', 'succeeded'],
  ['failed', 'failed'],
]);

type BodyOf = (row: Row, media: ResolvedMediaSet, options: SubmitOptions) => JsonObject;

export const vendorA: Family = {
  'vendor-a/text2video': kindOf(vendorAText2Video, (row, _media, { callbackUrl }) =>
    fields({
      model_name: row.cells.model,
      ...columns(row, ['prompt', 'negative_prompt', 'mode', 'sound', 'aspect_ratio']),
      duration: asText(row.cells.duration),
      ...storyboardOf(row),
      callback_url: callbackUrl,
    }),
  ),
  'vendor-a/image2video': kindOf(vendorAImage2Video, (row, media, { callbackUrl }) =>
    fields({
      model_name: row.cells.model,
      image: urlOrRaw(required(media, row, 'image')),
      ...columns(row, ['prompt', 'negative_prompt', 'mode', 'sound']),
      duration: asText(row.cells.duration),
      callback_url: callbackUrl,
    }),
  ),
  'vendor-a/omni-video': kindOf(vendorAOmniVideo, (row, media) =>
    fields({
      model_name: row.cells.model,
      ...columns(row, ['prompt', 'mode']),
      duration: asText(row.cells.duration),
      image_list: unlessEmptyList(imageListOf(media)),
      video_list: unlessEmptyList(all(media, 'videos').map((item) => ({ video_url: urlOnly(item, row, 'videos') }))),
      // The fields of an element are not shown: they go out as the row has them.
      element_list: row.cells.elements,
      ...storyboardOf(row),
    }),
  ),
  'vendor-a/motion-control': kindOf(vendorAMotionControl, (row, media) =>
    fields({
      model_name: row.cells.model,
      image_url: urlOrRaw(required(media, row, 'image')),
      video_url: urlOnly(required(media, row, 'video'), row, 'video'),
      ...columns(row, ['character_orientation', 'input_video_seconds', 'mode']),
    }),
  ),
};

/** A task is polled under the capability it was submitted to; under another one the service answers 404. */
function kindOf(rules: KindRules, bodyOf: BodyOf): Family[string] {
  const isDriven = rules === vendorAMotionControl;
  const wire: AsyncWire = {
    errorForms: NUMBERED_ERRORS,
    submitRequest: (row, media, options) => ({
      method: 'POST',
      path: rules.path,
      body: withExtra(bodyOf(row, media, options), row.extra),
    }),
    readSubmit(answer) {
      const read = readAs(submitted, answer);
      if (read === undefined) return unreadable('the answer is not a task');
      return readTask(read, (handle, remark) => created(answer, handle, remark), answer.status);
    },
    salvageHandle: (body) => salvageHandle(body, ['data', 'task_id']),
    callbackHandles: (body) => [['data', 'task_id'], ['task_id']].flatMap((path) => salvageHandle(body, path) ?? []),
    pollRequest: (handle) => ({ method: 'GET', path: `${rules.path}/${segment(handle)}` }),
    echo: ['data', 'task_id'],
    readPoll(answer) {
      const read = readAs(polled, answer);
      return read === undefined ? unreadable('the answer is not a task') : readPolledTask(read, isDriven);
    },
  };
  return { rules, wire };
}

/** "0 on success; non-zero is a provider error"; a gateway may give the number as text. */
function isErrorCode(code: unknown): boolean {
  return code !== undefined && code !== null && code !== 0 && code !== '0';
}

/** A handle always wins; without one only a 200 with a provider's error code proves that no task exists. */
function readTask(
  { code, message, data }: z.output<typeof submitted>,
  toCreated: (handle: string, remark?: string) => SubmitReading,
  status: number,
): SubmitReading {
  const isError = isErrorCode(code);
  const { task_id: id } = data ?? {};
  const handle = handleText.safeParse(id).data;
  if (handle !== undefined) return toCreated(handle, isError ? `answered with provider code ${code}` : undefined);
  const isNamed = typeof (id ?? '') !== 'string';
  if (!isError || typeof code !== 'number' || isNamed || status !== 200) {
    return unreadable('the answer has no data.task_id');
  }
  return { reading: 'refused', code: String(code), message: safeText(message ?? 'no message given') };
}

/** A `code` other than 0 is a failed poll, not a failed job, unless the task's own status says how it ended. */
function readPolledTask({ code, message, data }: z.output<typeof polled>, isDriven: boolean): PollReading {
  const reading = readListed(data?.task_status, STATUS, {
    succeeded: () => {
      const warnings: string[] = [];
      const outputs = (data?.task_result?.videos ?? []).flatMap(({ url, duration }) => {
        const seconds = believedSeconds('videos[].duration', duration, warnings);
        return url ? [defined({ url, durationSeconds: seconds })] : [];
      });
      // The driver's length is what motion control bills.
      const only = isDriven || outputs.length > 1 ? undefined : outputs[0]?.durationSeconds;
      const shownSeconds = only === undefined ? undefined : [only];
      return succeeded(outputs, defined({ shownSeconds, warnings: unlessNone(warnings) }));
    },
    // Beside a code of success the message says how the poll went, not the job.
    failed: (word) => failed(word, data?.task_status_msg?.trim() || (isErrorCode(code) ? message : undefined)),
  });
  if (!isErrorCode(code) || reading.reading === 'failed' || reading.reading === 'succeeded') return reading;
  const shown = typeof code === 'number' ? ` ${code}` : '';
  return unreadable(`the poll failed with provider code${shown}: ${safeText(message ?? 'no message given', 200)}`);
}

/** Images first, in their own order, so that the placeholder for image n is its n-th entry; then the frames. */
function imageListOf(media: ResolvedMediaSet): JsonObject[] {
  const plain = (column: string) => all(media, column).map((item): JsonObject => ({ image_url: urlOrRaw(item) }));
  const frames = (column: string) => plain(column).map((item) => ({ ...item, type: column }));
  return [...plain('images'), ...frames('first_frame'), ...frames('end_frame')];
}

function unlessEmptyList(list: JsonObject[]): Json | undefined {
  return list.length > 0 ? list : undefined;
}

/**
 * The storyboard fields of a row, none where it has neither shots nor a shot type. Shots are numbered from 1 in the
 * order of the cell; their durations go out as strings.
 */
export function storyboardOf(row: Row): JsonObject {
  const { shots, shot_type: shotType } = row.cells;
  if (shots === undefined && shotType === undefined) return {};
  const shotList = Array.isArray(shots) ? shots.filter(isJsonObject) : undefined;
  return fields({
    multi_shot: true,
    shot_type: shotType,
    multi_prompt: shotList?.map((shot, position) =>
      fields({ index: position + 1, prompt: shot.prompt, duration: asText(shot.duration) }),
    ),
  });
}
