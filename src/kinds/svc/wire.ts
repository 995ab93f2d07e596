/** Images from text or an image, short clips from text or one still image, all synchronous (service document 1, Endpoints). */

import type { ResponseFormat } from '../../domain/batch.js';
import type { JsonObject } from '../../domain/json.js';
import type { Row } from '../../domain/row.js';
import type { Family, SyncWire } from '../adapter.js';
import { columns, required, urlOrDataUri, withExtra } from '../wire.js';
import { svcAnimation, svcClip } from './clip-columns.js';
import { svcEdit } from './edit-columns.js';
import { svcImage } from './image-columns.js';
import { readSvcResult, salvageSvcOutput } from './result.js';

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

/** `tier` is not among them: the document asks not to send it. */
const CLIP_COLUMNS = ['model', 'prompt', 'width', 'height', 'duration', 'seed'] as const;

const common = { readSubmit: readSvcResult, salvageOutput: salvageSvcOutput };

const imageWire: SyncWire = {
  ...common,
  submitRequest(row, _media, { responseFormat }) {
    const body = { ...columns(row, IMAGE_COLUMNS), response_format: responseFormat };
    return { method: 'POST', path: svcImage.path, body: withExtra(body, row.extra) };
  },
};

const editWire: SyncWire = {
  ...common,
  submitRequest(row, media, { responseFormat }) {
    const url = urlOrDataUri(required(media, row, 'image'));
    const body = { ...columns(row, EDIT_COLUMNS), url, response_format: responseFormat };
    return { method: 'POST', path: svcEdit.path, body: withExtra(body, row.extra) };
  },
};

const clipWire: SyncWire = {
  ...common,
  submitRequest(row, _media, { responseFormat, aliasPaths }) {
    const path = aliasPaths ? '/v1/videos/generations' : svcClip.path;
    return { method: 'POST', path, body: withExtra(clipFields(row, responseFormat), row.extra) };
  },
};

const animationWire: SyncWire = {
  ...common,
  submitRequest(row, media, { responseFormat, aliasPaths }) {
    const path = aliasPaths ? '/v1/videos/animations' : svcAnimation.path;
    const url = urlOrDataUri(required(media, row, 'image'));
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    return { method: 'POST', path, body: withExtra({ ...clipFields(row, responseFormat), messages }, row.extra) };
  },
};

function clipFields(row: Row, responseFormat: ResponseFormat): JsonObject {
  const { audio } = row.cells;
  return {
    ...columns(row, CLIP_COLUMNS),
    ...(audio === undefined ? {} : { extra: { audio } }),
    response_format: responseFormat,
  };
}

export const svc: Family = {
  'svc/image': { rules: svcImage, wire: imageWire },
  'svc/edit': { rules: svcEdit, wire: editWire },
  'svc/clip': { rules: svcClip, wire: clipWire },
  'svc/animation': { rules: svcAnimation, wire: animationWire },
};
