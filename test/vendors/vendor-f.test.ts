import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { adapterFor } from '../../src/kinds/index.js';
import { asyncAdapter, bodyOf, jsonAnswer, requestOf } from './bodies.js';
import { BYTES, rowOf, URL_IMAGE } from './samples.js';

describe('vendor-f/video bodies (service document 2, vendor-f submit body)', () => {
  it('text-to-video: one instance, no empty parameters, the model in the path alone', () => {
    expect(requestOf('vendor-f/video', { model: 'vendor-f-3.1-generate-preview', prompt: 'a fox' })).toEqual({
      method: 'POST',
      path: '/v1/vendor-f/v1beta/models/vendor-f-3.1-generate-preview:predictLongRunning',
      body: { instances: [{ prompt: 'a fox' }] },
    });
  });

  it('image-to-video: base64 bytes without a prefix or an inlineData wrapper', () => {
    const cells = { model: 'vendor-f-3.1-lite-generate-preview', prompt: 'a fox', resolution: '1080p', duration: 6 };
    expect(bodyOf('vendor-f/video', cells, { image: [BYTES] })).toEqual({
      instances: [{ prompt: 'a fox', image: { bytesBase64Encoded: 'iVBORw0KGgo=', mimeType: 'image/png' } }],
      parameters: { resolution: '1080p', durationSeconds: 6 },
    });
  });

  it('takes bytes only', () => {
    expect(() => bodyOf('vendor-f/video', { model: 'm', prompt: 'p' }, { image: [URL_IMAGE] })).toThrow(/bytes/);
  });

  it('an error without a word beside a film is none; with one nobody knows which of both holds', () => {
    const response = { generateVideoResponse: { generatedSamples: [{ video: { uri: 'https://example.com/a.mp4' } }] } };
    const read = (fields: JsonObject) =>
      asyncAdapter('vendor-f/video').readPoll(jsonAnswer({ name: 'h', done: true, ...fields }));
    expect(read({ error: {}, response })).toMatchObject({ reading: 'succeeded' });
    expect(read({ error: { message: 'no' }, response })).toMatchObject({ reading: 'unreadable', hasEnded: true });
    expect(read({ error: {} })).toMatchObject({ reading: 'failed' });
  });

  it('a handle is sent as it came, even with what the document says it lacks', () => {
    const adapter = asyncAdapter('vendor-f/video');
    expect(adapter.readSubmit(jsonAnswer({ name: 'operations/x' }))).toMatchObject({ handle: 'operations/x' });
    const { path } = adapter.pollRequest('operations/x', rowOf('vendor-f/video', {}));
    expect(path).toBe('/v1/vendor-f/v1beta/operations/operations%2Fx');
  });
});

describe('vendor-f/interaction (service document 1: the layout is not shown)', () => {
  it('sends the body as the row has it', () => {
    const body = { model: 'x', input: [{ text: 'é', n: null }], extra: { deep: [[]] } };
    expect(requestOf('vendor-f/interaction', { body })).toEqual({
      method: 'POST',
      path: '/v1/vendor-f/v1beta/interactions',
      body,
    });
  });

  it('keeps the answer byte by byte', () => {
    const raw = '{ "a" : 1.0,\n "b": "\\u00e9" }';
    const reading = adapterFor('vendor-f/interaction').readSubmit({ ...jsonAnswer({}), body: Buffer.from(raw) });
    if (reading.reading !== 'done') throw new Error('expected done');
    expect(Buffer.from(reading.outputs[0]?.base64 ?? '', 'base64').toString()).toBe(raw);
  });
});
