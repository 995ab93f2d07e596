/** Short clips from text or from one still image, both synchronous (service document 1, Endpoints). */
import type { JsonObject } from '../../domain/json.js';
import type { Row } from '../../domain/row.js';
import type { ResponseFormat, SyncAdapter } from '../adapter.js';
import { GENERAL_ERRORS } from '../readings.js';
import { readSvcResult, salvageSvcOutput } from '../svc-result.js';
import { columns, required, urlOrDataUri, withExtra } from '../wire.js';

/** The life of a clip URL is not documented; one hour is the shortest life that the service names anywhere. */
const URL_LIFE_MS = 3_600_000;

/** `tier` is not among them: the document asks not to send it. */
const COLUMNS = ['model', 'prompt', 'width', 'height', 'duration', 'seed'] as const;

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
    ...columns(row, COLUMNS),
    ...(audio === undefined ? {} : { extra: { audio } }),
    response_format: responseFormat,
  };
}
