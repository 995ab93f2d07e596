import { describe, expect, it } from 'vitest';
import { bodyOf, requestOf } from './bodies.js';
import { BYTES, URL_IMAGE } from './samples.js';

const CELLS = { model: 'svc-epsilon-2.5-video', prompt: 'a wave' };

describe('svc/clip (service document 1, POST /v1/video/generations)', () => {
  it('every column', () => {
    const cells = { ...CELLS, width: 1280, height: 720, duration: 2.5, audio: true, seed: 42 };
    expect(bodyOf('svc/clip', cells)).toEqual({
      model: 'svc-epsilon-2.5-video',
      prompt: 'a wave',
      width: 1280,
      height: 720,
      duration: 2.5,
      extra: { audio: true },
      seed: 42,
      response_format: 'url',
    });
  });

  it('says no audio only where the row does', () => {
    expect(bodyOf('svc/clip', CELLS)).toEqual({ ...CELLS, response_format: 'url' });
    expect(bodyOf('svc/clip', { ...CELLS, audio: false })).toMatchObject({ extra: { audio: false } });
  });

  it('never sends a tier or what the document says is not accepted', () => {
    const refused = { tier: 'radical_value', steps: 5, guidance_scale: 1, negative_prompt: 'x', num_frames: 9 };
    expect(bodyOf('svc/clip', { ...CELLS, ...refused })).toEqual({ ...CELLS, response_format: 'url' });
  });
});

describe('svc/animation (service document 1, POST /v1/video/animations)', () => {
  it.each([
    [BYTES, 'data:image/png;base64,iVBORw0KGgo='],
    [URL_IMAGE, 'https://media.example/a.png'],
  ])('one message of the user with one image part', (image, url) => {
    expect(bodyOf('svc/animation', CELLS, { image: [image] })).toEqual({
      model: 'svc-epsilon-2.5-video',
      prompt: 'a wave',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
      response_format: 'url',
    });
  });
});

it('takes the alias paths when asked to (service document 1, Versioning)', () => {
  const media = { image: [BYTES] };
  expect(requestOf('svc/clip', CELLS, media, { aliasPaths: true }).path).toBe('/v1/videos/generations');
  expect(requestOf('svc/animation', CELLS, media, { aliasPaths: true }).path).toBe('/v1/videos/animations');
});
