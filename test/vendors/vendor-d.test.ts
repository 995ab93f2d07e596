import { expect, it } from 'vitest';
import { asyncAdapter, bodyOf, jsonAnswer } from './bodies.js';
import { rowOf, URL_IMAGE } from './samples.js';

it('text-to-video with the one documented model (service document 2, vendor-d submit body)', () => {
  expect(bodyOf('vendor-d/video', { prompt: 'a fox' })).toEqual({
    model: 'vendor-d-2-5-260628',
    content: [{ type: 'text', text: 'a fox' }],
  });
});

it('image-to-video: the text item first, the frame with its role', () => {
  const cells = { model: 'vendor-d-2-5-260628', prompt: 'a fox', resolution: '480p', audio: false };
  expect(bodyOf('vendor-d/video', cells, { first_frame: [URL_IMAGE] })).toEqual({
    model: 'vendor-d-2-5-260628',
    content: [
      { type: 'text', text: 'a fox' },
      { type: 'image_url', role: 'first_frame', image_url: { url: 'https://media.example/a.png' } },
    ],
    resolution: '480p',
    generate_audio: false,
  });
});

it('clip length, whose field is not shown, goes through `extra`', () => {
  const row = rowOf('vendor-d/video', { prompt: 'a fox' }, { duration: 5 });
  const { body } = asyncAdapter('vendor-d/video').submitRequest(row, {}, { responseFormat: 'url' });
  expect(body).toMatchObject({ duration: 5, model: 'vendor-d-2-5-260628' });
});

it('a handle without cgt- is accepted with a warning (T8)', () => {
  expect(asyncAdapter('vendor-d/video').readSubmit(jsonAnswer({ id: 'task-1' }, 201))).toEqual({
    reading: 'created',
    handle: 'task-1',
    warning: "answered 201 instead of 200; the handle lacks 'cgt-'",
  });
});

it('usage is kept as it is, tokens only when they are a count', () => {
  const usage = { completion_tokens: '108900', more: [1, { a: null }] };
  const answer = jsonAnswer({ status: 'succeeded', content: { video_url: 'https://a' }, usage });
  expect(asyncAdapter('vendor-d/video').readPoll(answer)).toMatchObject({ facts: { usage } });
  expect(asyncAdapter('vendor-d/video').readPoll(answer)).not.toMatchObject({ facts: { billedTokens: 108_900 } });
});

it('an error object without a message is shown whole: its inner fields are not documented', () => {
  const answer = jsonAnswer({ status: 'expired', error: { why: 'queue' } });
  expect(asyncAdapter('vendor-d/video').readPoll(answer)).toEqual({
    reading: 'failed',
    word: 'expired',
    message: '{"why":"queue"}',
  });
});
