/** Image generation and image editing, both synchronous (service document 1, Endpoints). */
import type { SyncAdapter } from '../adapter.js';
import { GENERAL_ERRORS } from '../readings.js';
import { readSvcResult, salvageSvcOutput } from '../svc-result.js';
import { columns, required, urlOrDataUri, withExtra } from '../wire.js';

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
