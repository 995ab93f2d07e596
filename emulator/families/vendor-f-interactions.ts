/** POST /v1/vendor-f/v1beta/interactions: the synchronous image route of a partner; it holds no job slot (document 1). */
import { micro } from '../model/prices.js';
import { generate } from '../model/sync-calls.js';
import { type Answer, type Call, ok, type Route } from '../model/world.js';
import { megapixelsOf } from './svc-images.js';

const SIDE = 1024;
const MODEL_UNNAMED = 'vendor-f-interaction';
const FILE_LIFE_SECONDS = 7 * 24 * 3600;

export const VENDOR_F_INTERACTION_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/v1/vendor-f/v1beta/interactions',
    names: ['vendor-f.interaction', 'vendor-f/interaction'],
    handler: interact,
  },
];

/** The layout of the request is not shown, so any JSON object is accepted; the answer carries one image as base64. */
async function interact(call: Call): Promise<Answer> {
  const model = typeof call.body.model === 'string' ? call.body.model : MODEL_UNNAMED;
  const result = await generate(call, {
    family: 'vendor-f/interaction',
    facts: { kind: 'vendor-f/interaction', model },
    quantities: { request: micro(1), image: micro(1), megapixel: megapixelsOf(call, SIDE, SIDE) },
    spec: { type: 'png', width: SIDE, height: SIDE, look: call.bodyHash, tag: call.requestId },
    outputLifeSeconds: FILE_LIFE_SECONDS,
    holdsSlot: false,
  });
  const data = (await call.world.outputs.read(result.output)).toString('base64');
  return ok({
    id: result.record.id,
    status: 'completed',
    model,
    outputs: [{ type: 'image', mime_type: 'image/png', data }],
  });
}
