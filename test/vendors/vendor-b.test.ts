import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { VOICES_REQUEST } from '../../src/kinds/vendor-b/wire.js';
import { asyncAdapter, bodyOf, jsonAnswer } from './bodies.js';
import { BYTES, URL_AUDIO, URL_IMAGE } from './samples.js';

describe('bodies (service document 2, Avatar video: POST body)', () => {
  it('the photo engine with a URL and audio: no engine, no model', () => {
    const cells = { resolution: '4k', aspect_ratio: '9:16' };
    expect(bodyOf('vendor-b/avatar', cells, { image: [URL_IMAGE], audio: [URL_AUDIO] })).toEqual({
      type: 'image',
      image: { type: 'url', url: 'https://media.example/a.png' },
      audio_url: 'https://media.example/a.mp3',
      resolution: '4k',
      aspect_ratio: '9:16',
    });
  });

  it('the photo engine with raw base64, no data: prefix, and a script', () => {
    expect(bodyOf('vendor-b/avatar', { script: 'Hello', voice_id: 'v1' }, { image: [BYTES] })).toEqual({
      type: 'image',
      image: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
      script: 'Hello',
      voice_id: 'v1',
    });
  });

  it('the catalog-avatar engine', () => {
    expect(bodyOf('vendor-b/avatar', { avatar_id: 'av1', script: 'Hello', voice_id: 'v1' })).toEqual({
      type: 'avatar',
      avatar_id: 'av1',
      engine: { type: 'avatar_v' },
      script: 'Hello',
      voice_id: 'v1',
    });
  });

  it('audio is sent as a URL only', () => {
    expect(() => bodyOf('vendor-b/avatar', { avatar_id: 'av1' }, { audio: [BYTES] })).toThrow(/'audio'/);
  });
});

describe('the reason of a failure ("reason in the body", without a field name)', () => {
  const read = (fields: Record<string, string | number | object>) =>
    asyncAdapter('vendor-b/avatar').readPoll(jsonAnswer({ data: { id: 'h', status: 'failed', ...fields } } as never));

  it.each([
    [{ error: { code: 'no_face', message: 'no face' } }, { code: 'no_face', message: 'no face' }],
    [{ error: 'no face' }, { message: 'no face' }],
    [{ message: 'no face' }, { message: 'no face' }],
    [{ failure_reason: 'no face', failure_code: 9 }, { message: '{"failure_reason":"no face","failure_code":9}' }],
    [{ error: {} }, { message: 'no reason given' }],
    [{ duration: 0, video_url: '' }, { message: 'no reason given' }],
  ])('%j', (fields, expected) => {
    expect(read(fields)).toEqual({ reading: 'failed', word: 'failed', ...expected });
  });

  it.each<JsonObject[]>([
    [{}, { error: { code: 'no_face', message: 'no face' } }, { code: 'no_face', message: 'no face' }],
    [{ error: null, created_at: 5 }, { error: 'no face' }, { message: 'no face' }],
    [{ message: 'no face' }, { error: 'failed' }, { message: 'no face' }],
    [{ error: {} }, { error: 'no face' }, { message: 'no face' }],
    ...['', {}].map((error) => [{ hint: 'no face' }, { error }, { message: '{"hint":"no face"}' }]),
    [{ hint: 'no face' }, { error: null }, { message: '{"hint":"no face"}' }],
    [{}, { message: 'OK' }, { message: 'no reason given' }],
  ])('the job has %j, and beside it stands %j', (fields = {}, beside = {}, expected = {}) => {
    const answer = jsonAnswer({ data: { id: 'h', status: 'failed', ...fields }, ...beside });
    const reading = asyncAdapter('vendor-b/avatar').readPoll(answer);
    expect(reading).toEqual({ reading: 'failed', word: 'failed', ...expected });
  });
});

it('lists voices at the documented path', () => {
  expect(VOICES_REQUEST).toEqual({ method: 'GET', path: '/v1/vendor-b/v3/voices' });
});
