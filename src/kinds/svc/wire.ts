/** Images from text or an image, short clips from text or one still image, all synchronous (service document 1, Endpoints). */
import type { JsonObject } from '../../domain/json.js';
import type { Row } from '../../domain/row.js';
import type { ResponseFormat, SyncAdapter } from '../adapter.js';
import { GENERAL_ERRORS } from '../readings.js';
import { columns, required, urlOrDataUri, withExtra } from '../wire.js';
import { readSvcResult, salvageSvcOutput } from './result.js';

/** The life of a result URL is not documented; one hour is the shortest life that the service names anywhere. */
const URL_LIFE_MS = 3_600_000;

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

const COMMON = {
  flow: 'sync',
  entrypoint: 'svc',
  charge: 'at-success',
  errorForms: GENERAL_ERRORS,
  urlLifeMs: URL_LIFE_MS,
  readSubmit: readSvcResult,
  salvageOutput: salvageSvcOutput,
  readRefusal: () => undefined,
} as const;

export function createImageAdapter(): SyncAdapter {
  return {
    ...COMMON,
    kind: 'svc/image',
    submitRequest(row, _media, { responseFormat }) {
      const body = { ...columns(row, IMAGE_COLUMNS), response_format: responseFormat };
      return { method: 'POST', path: '/v1/images/generations', body: withExtra(body, row.extra) };
    },
  };
}

export function createEditAdapter(): SyncAdapter {
  return {
    ...COMMON,
    kind: 'svc/edit',
    submitRequest(row, media, { responseFormat }) {
      const body = {
        ...columns(row, EDIT_COLUMNS),
        url: urlOrDataUri(required(media, row, 'image')),
        response_format: responseFormat,
      };
      return { method: 'POST', path: '/v1/images/edits', body: withExtra(body, row.extra) };
    },
  };
}

/** `tier` is not among them: the document asks not to send it. */
const CLIP_COLUMNS = ['model', 'prompt', 'width', 'height', 'duration', 'seed'] as const;

export function createClipAdapter(): SyncAdapter {
  return {
    ...COMMON,
    kind: 'svc/clip',
    submitRequest(row, _media, { responseFormat, aliasPaths }) {
      const path = aliasPaths ? '/v1/videos/generations' : '/v1/video/generations';
      return { method: 'POST', path, body: withExtra(clipFields(row, responseFormat), row.extra) };
    },
  };
}

export function createAnimationAdapter(): SyncAdapter {
  return {
    ...COMMON,
    kind: 'svc/animation',
    submitRequest(row, media, { responseFormat, aliasPaths }) {
      const path = aliasPaths ? '/v1/videos/animations' : '/v1/video/animations';
      const url = urlOrDataUri(required(media, row, 'image'));
      const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
      return { method: 'POST', path, body: withExtra({ ...clipFields(row, responseFormat), messages }, row.extra) };
    },
  };
}

function clipFields(row: Row, responseFormat: ResponseFormat): JsonObject {
  const audio = row.cells.audio;
  return {
    ...columns(row, CLIP_COLUMNS),
    ...(audio === undefined ? {} : { extra: { audio } }),
    response_format: responseFormat,
  };
}
