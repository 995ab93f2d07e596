// Clips and partner videos that must be refused: B23 to B40 of the list of bad input.
import type { BadManifest } from './bad-manifest.js';

const COLUMNS = [
  ...['id', 'kind', 'model', 'prompt', 'width', 'height', 'duration', 'resolution', 'ratio', 'mode', 'sound', 'steps'],
  ...['negative_prompt', 'image', 'images', 'video', 'first_frame', 'last_frame', 'driving_audio', 'reference_images'],
  ...['shots', 'shot_type', 'character_orientation', 'input_video_seconds'],
];

const IMAGE = 'https://media.example/a.png';
const VIDEO = 'https://media.example/a.mp4';
const AUDIO = 'https://media.example/a.mp3';
const list = (count: number): string => Array(count).fill(IMAGE).join('|');
const shots = (...seconds: number[]): string => JSON.stringify(seconds.map((duration) => ({ prompt: 'x', duration })));

const CLIP = { kind: 'svc/clip', model: 'svc-epsilon-2.5-video', prompt: 'a tram' };
const TEXT = { kind: 'vendor-a/text2video', prompt: 'a boat' };
const STORY = { kind: 'vendor-a/text2video', shot_type: 'customize' };
const OMNI = { kind: 'vendor-a/omni-video', prompt: 'a boat' };
const MOTION = { kind: 'vendor-a/motion-control', image: IMAGE, video: VIDEO, character_orientation: 'image' };
const C30 = { kind: 'vendor-c/video', model: 'vendor-c-3.0-video', prompt: 'a market' };
const C27 = { ...C30, model: 'vendor-c-2.7-t2v' };
const G = { kind: 'vendor-g/video', model: 'vendor-g-1.1-i2v', prompt: 'a kite', first_frame: IMAGE };
const D = { kind: 'vendor-d/video', prompt: 'steam' };
const E = { kind: 'vendor-e/video', prompt: 'a fox', duration: '4' };

type Cells = Record<string, string>;
const bad = (code: string, what: string, cells: Cells, at: string, message: string | RegExp) => {
  return { code, what, cells, at, message };
};

export const BAD_VIDEOS: BadManifest = {
  columns: COLUMNS,
  good: [{ ...CLIP, id: 'good', width: '1280', height: '720' }],
  bad: [
    bad('B23', 'another clip size', { ...CLIP, width: '1920', height: '720' }, 'width', '1920x1080 or 1280x720'),
    bad('B24', 'a clip of 9 s', { ...CLIP, duration: '9' }, 'duration', '1-8 seconds'),
    bad('B24', 'a clip of 5s', { ...CLIP, duration: '5s' }, 'duration', "(1-8 seconds), got '5s'"),
    bad('B25', 'steps on a clip', { ...CLIP, steps: '12' }, 'steps', "svc/clip does not take 'steps'; it takes: model"),
    bad(
      'B25',
      'a negative prompt on a clip',
      { ...CLIP, negative_prompt: 'x' },
      'negative_prompt',
      "does not take 'neg",
    ),
    bad('B26', 'a long prompt', { ...TEXT, prompt: 'x'.repeat(2501) }, 'prompt', '2501 characters, limit 2500'),
    bad(
      'B26',
      'a longer one',
      { ...E, ratio: '1:1', prompt: 'x'.repeat(7001) },
      'prompt',
      '7001 characters, limit 7000',
    ),
    bad('B27', '2 s', { ...TEXT, duration: '2' }, 'duration', 'duration must be 3-15 (sent as a string)'),
    bad('B27', '16 s', { ...TEXT, duration: '16' }, 'duration', 'duration must be 3-15 (sent as a string)'),
    bad('B28', 'a prompt', { ...MOTION, input_video_seconds: '5', prompt: 'x' }, 'prompt', "does not take 'prompt'"),
    bad('B28', 'no length', MOTION, 'input_video_seconds', 'input_video_seconds 1-10 is required (under-declaring'),
    bad('B29', 'motion in 4k', { ...MOTION, input_video_seconds: '5', mode: '4k' }, 'mode', 'mode must be std or pro'),
    bad(
      'B30',
      'broken base64',
      { ...TEXT, kind: 'vendor-a/image2video', image: 'data:image/png;base64,ab*d' },
      'image',
      'image is not valid base64',
    ),
    bad('B31', 'no references', OMNI, 'images', 'omni needs 1-7 reference inputs, got 0'),
    bad('B31', 'eight references', { ...OMNI, images: list(8) }, 'images', 'omni needs 1-7 reference inputs, got 8'),
    bad('B32', 'seven shots', { ...STORY, shots: shots(1, 1, 1, 1, 1, 1, 1) }, 'shots', 'at most 6 and 15 s'),
    bad(
      'B32',
      '16 s of shots',
      { ...STORY, shots: shots(8, 8) },
      'shots',
      'at most 6 and 15 s on text2video, got 16 s',
    ),
    bad('B32', 'no shot type', { ...STORY, shots: shots(3), shot_type: '' }, 'shots', 'shots need shot_type'),
    bad('B32', 'an empty shot', { ...STORY, shots: '[{"prompt":"","duration":3}]' }, 'shots', 'shot 1 has an empty'),
    bad('B33', 'sound on omni', { ...OMNI, images: IMAGE, sound: 'on' }, 'sound', 'sound is not for omni'),
    bad(
      'B35',
      'frame and reference',
      { ...C30, first_frame: IMAGE, reference_images: IMAGE },
      'reference_images',
      'mixed',
    ),
    bad('B36', 'a last frame', { ...G, last_frame: IMAGE }, 'last_frame', 'vendor-g takes a first frame only'),
    bad('B36', 'a track', { ...G, driving_audio: AUDIO }, 'driving_audio', /vendor-g takes a first frame only/),
    bad(
      'B36',
      'ten references',
      { ...G, model: 'vendor-g-1.1-r2v', first_frame: '', reference_images: list(10) },
      'reference_images',
      'at most 9 references',
    ),
    bad('B37', '480P on 2.7', { ...C27, resolution: '480P' }, 'resolution', '480P is not offered by vendor-c-2.7'),
    bad('B37', '31 s', { ...C30, duration: '31' }, 'duration', 'duration must be 2-30 seconds'),
    bad('B38', '1080p on vendor-d', { ...D, resolution: '1080p' }, 'resolution', 'resolution must be 480p or 720p'),
    bad('B39', 'no ratio', E, 'ratio', 'ratio is required without an image'),
    bad('B39', 'an adaptive ratio', { ...E, ratio: 'adaptive' }, 'ratio', 'ratio must be 21:9'),
    bad('B39', 'a ratio with media', { ...E, ratio: '1:1', first_frame: IMAGE }, 'ratio', 'leave ratio out when media'),
    bad('B40', 'a video as a reference', { ...E, reference_images: VIDEO }, 'reference_images', 'needs an image'),
    bad('B40', 'a track as a frame', { ...C30, first_frame: AUDIO }, 'first_frame', 'first_frame needs an image'),
  ],
};
