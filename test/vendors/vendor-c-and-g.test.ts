import { expect, it } from 'vitest';
import { bodyOf } from './bodies.js';
import { BYTES, URL_AUDIO, URL_IMAGE } from './samples.js';

const OTHER = { form: 'url', url: 'https://media.example/b.png' } as const;

it('text-to-video: no media, no empty parameters (service document 2, Shared route)', () => {
  expect(bodyOf('vendor-c/video', { model: 'vendor-c-2.7-t2v', prompt: 'a fox' })).toEqual({
    model: 'vendor-c-2.7-t2v',
    input: { prompt: 'a fox' },
  });
});

it('image-to-video: first frame, last frame, driving audio', () => {
  const media = { driving_audio: [URL_AUDIO], last_frame: [OTHER], first_frame: [URL_IMAGE] };
  const cells = { model: 'vendor-c-2.7-i2v', prompt: 'a fox', resolution: '720P', duration: 15, watermark: true };
  expect(bodyOf('vendor-c/video', cells, media)).toEqual({
    model: 'vendor-c-2.7-i2v',
    input: {
      prompt: 'a fox',
      media: [
        { type: 'first_frame', url: 'https://media.example/a.png' },
        { type: 'last_frame', url: 'https://media.example/b.png' },
        { type: 'driving_audio', url: 'https://media.example/a.mp3' },
      ],
    },
    parameters: { resolution: '720P', duration: 15, watermark: true },
  });
});

it('reference-to-video: the order of the column is the order of `[Image n]`', () => {
  const media = { reference_images: [OTHER, URL_IMAGE] };
  const cells = { model: 'vendor-g-1.1-r2v', prompt: '[Image 1] meets [Image 2]', watermark: false };
  expect(bodyOf('vendor-g/video', cells, media)).toEqual({
    model: 'vendor-g-1.1-r2v',
    input: {
      prompt: '[Image 1] meets [Image 2]',
      media: [
        { type: 'reference_image', url: 'https://media.example/b.png' },
        { type: 'reference_image', url: 'https://media.example/a.png' },
      ],
    },
    parameters: { watermark: false },
  });
});

it('media must be reachable from the internet: bytes are our defect', () => {
  expect(() => bodyOf('vendor-g/video', {}, { first_frame: [BYTES] })).toThrow(/'first_frame'/);
});
