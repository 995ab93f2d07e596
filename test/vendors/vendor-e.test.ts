import { expect, it } from 'vitest';
import { bodyOf } from './bodies.js';
import { URL_AUDIO, URL_IMAGE, URL_VIDEO } from './samples.js';

it('text-to-video (service document 2, vendor-e submit body)', () => {
  expect(bodyOf('vendor-e/video', { prompt: 'a fox', duration: 6, ratio: '16:9', resolution: '2K' })).toEqual({
    model: 'Vendor-E-H3',
    content: [{ type: 'text', text: 'a fox' }],
    resolution: '2K',
    duration: 6,
    ratio: '16:9',
  });
});

it('frames: the text item first, each role in its own container', () => {
  const media = { last_frame: [URL_IMAGE], first_frame: [URL_IMAGE] };
  expect(bodyOf('vendor-e/video', { prompt: 'a fox', duration: 4 }, media)).toEqual({
    model: 'Vendor-E-H3',
    content: [
      { type: 'text', text: 'a fox' },
      { type: 'image_url', role: 'first_frame', image_url: { url: 'https://media.example/a.png' } },
      { type: 'image_url', role: 'last_frame', image_url: { url: 'https://media.example/a.png' } },
    ],
    duration: 4,
  });
});

it('references: images, videos and audio in the containers that make their roles work', () => {
  const media = {
    reference_audio: [URL_AUDIO],
    reference_videos: [URL_VIDEO],
    reference_images: [URL_IMAGE, URL_IMAGE],
  };
  expect(bodyOf('vendor-e/video', { prompt: 'a fox', duration: 15 }, media)?.content).toEqual([
    { type: 'text', text: 'a fox' },
    { type: 'image_url', role: 'reference_image', image_url: { url: 'https://media.example/a.png' } },
    { type: 'image_url', role: 'reference_image', image_url: { url: 'https://media.example/a.png' } },
    { type: 'video_url', role: 'reference_video', video_url: { url: 'https://media.example/a.mp4' } },
    { type: 'audio_url', role: 'reference_audio', audio_url: { url: 'https://media.example/a.mp3' } },
  ]);
});
