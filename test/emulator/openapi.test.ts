import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { at, emulator, eventually, type Json } from './harness.js';

const SHARED = '/v1/vendor-c/services/aigc/video-generation/video-synthesis';
const F = '/v1/vendor-f/v1beta/models/vendor-f-3.1-lite-generate-preview:predictLongRunning';

interface Operation {
  requestBody?: Json;
  responses: Record<string, Json>;
}

/** One good body per submit route, the template of its poll, and where the handle stands. */
const SUBMITS: [path: string, template: string, body: Json, poll?: string, handle?: string][] = [
  ['/v1/images/generations', '/v1/images/generations', { model: 'svc-delta-4', prompt: 'x' }],
  ['/v1/video/generations', '/v1/video/generations', { model: 'svc-epsilon-2.3-video', prompt: 'x', duration: 1 }],
  ['/v1/vendor-f/v1beta/interactions', '/v1/vendor-f/v1beta/interactions', { input: 'x' }],
  [
    '/v1/vendor-b/v3/videos',
    '/v1/vendor-b/v3/videos',
    { type: 'avatar', avatar_id: 'a', engine: { type: 'avatar_v' }, script: 'Hi.', voice_id: 'v-amber-en' },
    '/v1/vendor-b/v3/videos/{handle}',
    'data.video_id',
  ],
  [
    '/v1/vendor-a/videos/text2video',
    '/v1/vendor-a/videos/text2video',
    { prompt: 'x' },
    '/v1/vendor-a/videos/{capability}/{handle}',
    'data.task_id',
  ],
  [
    SHARED,
    SHARED,
    { model: 'vendor-g-1.0-t2v', input: { prompt: 'x' } },
    '/v1/vendor-c/tasks/{handle}',
    'output.task_id',
  ],
  [
    '/v1/vendor-d/contents/generations/tasks',
    '/v1/vendor-d/contents/generations/tasks',
    { model: 'vendor-d-2-5-260628', content: [{ type: 'text', text: 'x' }] },
    '/v1/vendor-d/contents/generations/tasks/{handle}',
    'id',
  ],
  [
    '/v1/vendor-e/v2/video_generation',
    '/v1/vendor-e/v2/video_generation',
    { model: 'Vendor-E-H3', content: [{ type: 'text', text: 'x' }], duration: 4, ratio: '1:1' },
    '/v1/vendor-e/v2/query/video_generation/{handle}',
    'task_id',
  ],
  [
    F,
    '/v1/vendor-f/v1beta/models/{model}:predictLongRunning',
    { instances: [{ prompt: 'x' }] },
    '/v1/vendor-f/v1beta/operations/{handle}',
    'name',
  ],
];

function schemaOf(description: Json, content: Json | undefined): z.ZodType {
  const schema = at(content, 'content.application/json.schema') as Json;
  const components = at(description, 'components.schemas') as Record<string, Json>;
  const reference =
    String(schema.$ref ?? '')
      .split('/')
      .at(-1) ?? '';
  return z.fromJSONSchema((components[reference] ?? schema) as Parameters<typeof z.fromJSONSchema>[0]);
}

describe('the OpenAPI description', () => {
  test('has every documented path', async () => {
    const emu = await emulator();
    const { json } = await emu.get('/openapi.json');
    expect(Object.keys(json.paths as Json).sort()).toEqual(
      [
        '/v1/credits',
        '/v1/discounts',
        '/v1/images/edits',
        '/v1/images/generations',
        '/v1/vendor-a/videos/image2video',
        '/v1/vendor-a/videos/motion-control',
        '/v1/vendor-a/videos/omni-video',
        '/v1/vendor-a/videos/text2video',
        '/v1/vendor-a/videos/{capability}/{handle}',
        SHARED,
        '/v1/vendor-c/tasks/{handle}',
        '/v1/vendor-d/contents/generations/tasks',
        '/v1/vendor-d/contents/generations/tasks/{handle}',
        '/v1/vendor-e/v2/query/video_generation/{handle}',
        '/v1/vendor-e/v2/video_generation',
        '/v1/vendor-f/v1beta/interactions',
        '/v1/vendor-f/v1beta/models/{model}:predictLongRunning',
        '/v1/vendor-f/v1beta/operations/{handle}',
        '/v1/vendor-b/v3/videos',
        '/v1/vendor-b/v3/videos/{handle}',
        '/v1/vendor-b/v3/voices',
        '/v1/video/animations',
        '/v1/video/generations',
        '/v1/videos/animations',
        '/v1/videos/generations',
      ].sort(),
    );
  });

  test.each([0, 1])('what is answered has the described form (fail rate %i)', async (failRate) => {
    const emu = await emulator({ failRate });
    const description = (await emu.get('/openapi.json')).json;
    const paths = description.paths as Record<string, Record<string, Operation>>;
    for (const path of ['/v1/credits', '/v1/discounts', '/v1/vendor-b/v3/voices']) {
      schemaOf(description, paths[path]?.get?.responses['200']).parse((await emu.get(path)).json);
    }
    for (const [path, template, body, pollTemplate, handlePath] of SUBMITS) {
      const operation = paths[template]?.post;
      schemaOf(description, operation?.requestBody).parse(body);
      const reply = await emu.post(path, body);
      schemaOf(description, operation?.responses[String(reply.status)]).parse(reply.json);
      const refused = await emu.post(path, path.endsWith('interactions') ? '[]' : {});
      expect([path, refused.status]).toEqual([path, 400]);
      schemaOf(description, operation?.responses['400']).parse(refused.json);
      if (pollTemplate === undefined || handlePath === undefined) continue;
      await eventually(() => emu.truth().account.running === 0);
      const links = at(operation?.responses['200'], 'links.poll.operationId');
      expect(links).toBe(at(paths[pollTemplate]?.get, 'operationId'));
      const pollPath = pollTemplate
        .replace('{capability}', 'text2video')
        .replace('{handle}', String(at(reply.json, handlePath)));
      const poll = await emu.get(pollPath);
      schemaOf(description, paths[pollTemplate]?.get?.responses['200']).parse(poll.json);
      expect(at(poll.json, 'done') ?? poll.status).toBeTruthy();
    }
  });
});
