import type { RuleCase } from '../support.js';

const IMAGE = 'https://media.example/a.png';
const VIDEO = 'https://media.example/a.mp4';
const AUDIO = 'https://media.example/a.mp3';
const list = (item: string, count: number): string => Array(count).fill(item).join('|');
const route = '(service document 2, Shared route)';
const c30 = { model: 'vendor-c-3.0-video', prompt: 'a market' };
const c27 = { model: 'vendor-c-2.7-t2v', prompt: 'a market' };
const i2v = { model: 'vendor-c-2.7-i2v', prompt: 'a market', first_frame: IMAGE };
const r2v = { model: 'vendor-c-2.7-r2v', prompt: 'a market', reference_images: IMAGE };
const g11 = { model: 'vendor-g-1.1-t2v', prompt: 'a kite' };
const g10 = { model: 'vendor-g-1.0-t2v', prompt: 'a kite' };
const gi2v = { model: 'vendor-g-1.1-i2v', prompt: 'a kite', first_frame: IMAGE };
const gr2v = { model: 'vendor-g-1.0-r2v', prompt: 'a kite', reference_images: IMAGE };
const d = { prompt: 'steam' };
const e = { prompt: 'a fox', duration: '4', ratio: '16:9' };
const eMedia = { prompt: 'a fox', duration: '4' };

const vendorC: RuleCase[] = [
  {
    rule: `B13: model is one of five ${route}`,
    kind: 'vendor-c/video',
    base: c30,
    good: [{ model: 'vendor-c-3.0-video-prime' }, { model: 'vendor-c-2.7-t2v' }],
    bad: [{ change: { model: 'vendor-g-1.1-t2v' }, code: 'B13', says: /known: vendor-c-3\.0-video, / }],
  },
  {
    rule: `B37: 3.0 renders 480P, 720P, 1080P and 2-30 s ${route}`,
    kind: 'vendor-c/video',
    base: c30,
    good: [
      ...['480P', '720P', '1080P'].map((resolution) => ({ resolution })),
      { duration: '2' },
      { duration: '30' },
      { model: 'vendor-c-3.0-video-prime', resolution: '480P', duration: '30' },
    ],
    bad: [
      { change: { resolution: '480p' }, code: 'B37', says: /480P, 720P or 1080P/ },
      { change: { resolution: '2K' }, code: 'B37', says: /480P, 720P or 1080P/ },
      { change: { duration: '1' }, code: 'B37', says: /duration must be 2-30 seconds/ },
      { change: { duration: '31' }, code: 'B37', says: /duration must be 2-30 seconds/ },
      { change: { duration: '2.5' }, code: 'B16', says: /plain integer \(2-30 seconds\)/ },
    ],
  },
  {
    rule: `B37: 2.7 renders 720P, 1080P and 2-15 s ${route}`,
    kind: 'vendor-c/video',
    base: c27,
    good: [{ resolution: '720P' }, { resolution: '1080P' }, { duration: '2' }, { duration: '15' }],
    bad: [
      {
        change: { resolution: '480P' },
        code: 'B37',
        says: /resolution 480P is not offered by vendor-c-2\.7-t2v.*720P or 1080P/,
      },
      { change: { duration: '16' }, code: 'B37', says: /duration must be 2-15 seconds on vendor-c-2\.7-t2v, got 16/ },
    ],
  },
  {
    rule: `B35: first frame and references cannot be mixed ${route}`,
    kind: 'vendor-c/video',
    base: c30,
    good: [{ first_frame: IMAGE }, { first_frame: IMAGE, last_frame: IMAGE }, { reference_images: IMAGE }],
    bad: [
      {
        change: { reference_images: IMAGE, first_frame: IMAGE },
        code: 'B35',
        says: /first frame and references cannot be mixed/,
      },
    ],
  },
  {
    rule: `B36: 3.0 takes up to 10 references ${route}`,
    kind: 'vendor-c/video',
    base: c30,
    good: [{ reference_images: list(IMAGE, 10) }],
    bad: [{ change: { reference_images: list(IMAGE, 11) }, code: 'B36', says: /at most 10 references .* got 11/ }],
  },
  {
    rule: `B36: 2.7 takes up to 5 references ${route}`,
    kind: 'vendor-c/video',
    base: r2v,
    good: [{ reference_images: list(IMAGE, 5) }],
    bad: [
      { change: { reference_images: list(IMAGE, 6) }, code: 'B36', says: /at most 5 references .* got 6/ },
      { change: { reference_images: '' }, code: 'B59', says: /vendor-c-2\.7-r2v needs reference_images/ },
      { change: { first_frame: IMAGE }, code: 'B25', says: /vendor-c-2\.7-r2v does not take 'first_frame'/ },
    ],
  },
  {
    rule: `B25: …-t2v takes no media, …-i2v needs a first frame ${route}`,
    kind: 'vendor-c/video',
    base: i2v,
    good: [{ last_frame: IMAGE }, { driving_audio: AUDIO }, { driving_audio: 'https://media.example/a.wav' }],
    bad: [
      { change: { first_frame: '' }, code: 'B59', says: /vendor-c-2\.7-i2v needs first_frame/ },
      {
        change: { model: 'vendor-c-2.7-t2v' },
        code: 'B25',
        says: /vendor-c-2\.7-t2v does not take 'first_frame'/,
        at: 'first_frame',
      },
      { change: { reference_images: IMAGE }, code: 'B25', says: /does not take 'reference_images'/ },
    ],
  },
  {
    rule: `B25: driving_audio is for vendor-c-2.7-i2v only ${route}`,
    kind: 'vendor-c/video',
    base: { ...c30, first_frame: IMAGE },
    bad: [
      { change: { driving_audio: AUDIO }, code: 'B25', says: /driving_audio is for vendor-c-2\.7-i2v only/ },
      { change: { driving_audio: 'https://media.example/a.flac' }, code: 'B45', says: /FLAC, needs WAV or MP3/ },
    ],
  },
  {
    rule: `B59: last_frame is for image-to-video ${route}`,
    kind: 'vendor-c/video',
    base: c30,
    bad: [{ change: { last_frame: IMAGE }, code: 'B59', says: /last_frame needs first_frame/, at: 'first_frame' }],
  },
  {
    rule: `B40: references are images ${route}`,
    kind: 'vendor-c/video',
    base: c30,
    bad: [
      { change: { reference_images: VIDEO }, code: 'B40', says: /reference_images needs an image, the URL is MP4$/ },
      { change: { first_frame: AUDIO }, code: 'B40', says: /first_frame needs an image/ },
      {
        change: { reference_images: 'https://media.example/a.gif' },
        code: 'B45',
        says: /GIF, needs JPEG, PNG, BMP or WEBP/,
      },
    ],
  },
  {
    rule: `B58: watermark is true or false ${route}`,
    kind: 'vendor-c/video',
    base: c30,
    good: [{ watermark: 'true' }, { watermark: 'false' }],
    bad: [{ change: { watermark: 'off' }, code: 'B58', says: /true or false/ }],
  },
];

const vendorG: RuleCase[] = [
  {
    rule: `B36: 1.1 renders 480P, 720P, 1080P ${route}`,
    kind: 'vendor-g/video',
    base: g11,
    good: ['480P', '720P', '1080P'].map((resolution) => ({ resolution })),
    bad: [{ change: { resolution: '4K' }, code: 'B36', says: /480P, 720P or 1080P/ }],
  },
  {
    rule: `B36: 1.0 renders 720P, 1080P ${route}`,
    kind: 'vendor-g/video',
    base: g10,
    good: ['720P', '1080P'].map((resolution) => ({ resolution })),
    bad: [{ change: { resolution: '480P' }, code: 'B36', says: /480P is not offered by vendor-g-1\.0-t2v/ }],
  },
  {
    rule: `B62: duration is 3-15 s ${route}`,
    kind: 'vendor-g/video',
    base: g11,
    good: [{ duration: '3' }, { duration: '15' }],
    bad: [
      { change: { duration: '2' }, code: 'B62', says: /duration must be 3-15 seconds/ },
      { change: { duration: '16' }, code: 'B62', says: /duration must be 3-15 seconds/ },
    ],
  },
  {
    rule: `B36: a first frame only, no end frame, no audio ${route}`,
    kind: 'vendor-g/video',
    base: gi2v,
    good: [{}],
    bad: [
      { change: { last_frame: IMAGE }, code: 'B36', says: /vendor-g takes a first frame only/ },
      { change: { driving_audio: AUDIO }, code: 'B36', says: /vendor-g takes a first frame only/ },
      { change: { audio: 'true' }, code: 'B36', says: /every clip is scored/ },
      { change: { first_frame: '' }, code: 'B59', says: /needs first_frame/ },
      { change: { reference_images: IMAGE }, code: 'B35', says: /cannot be mixed/ },
    ],
  },
  {
    rule: `B36: up to 9 references ${route}`,
    kind: 'vendor-g/video',
    base: gr2v,
    good: [{ reference_images: list(IMAGE, 9) }],
    bad: [
      { change: { reference_images: list(IMAGE, 10) }, code: 'B36', says: /at most 9 references .* got 10/ },
      {
        change: { reference_images: 'https://media.example/a.bmp' },
        code: 'B45',
        says: /BMP, needs JPEG, PNG or WEBP/,
      },
    ],
  },
];

const vendorD: RuleCase[] = [
  {
    rule: 'B38: resolution is 480p or 720p (service document 2, vendor-d submit body)',
    kind: 'vendor-d/video',
    base: d,
    good: [{ resolution: '480p' }, { resolution: '720p' }, { model: 'vendor-d-2-5-260628' }, { first_frame: IMAGE }],
    bad: [
      { change: { resolution: '1080p' }, code: 'B38', says: /resolution must be 480p or 720p/ },
      { change: { resolution: '720P' }, code: 'B38', says: /resolution must be 480p or 720p/ },
    ],
  },
  {
    rule: 'B59: prompt is required (service document 2, vendor-d submit body)',
    kind: 'vendor-d/video',
    base: { ...d, audio: 'true' },
    bad: [
      { change: { prompt: '' }, code: 'B59', says: /prompt is required/ },
      { change: { model: 'vendor-d-2' }, code: 'B13', says: /known: vendor-d-2-5-260628/ },
      { change: { audio: 'on' }, code: 'B58', says: /audio must be true or false/ },
      { change: { duration: '5' }, code: 'B25', says: /vendor-d\/video does not take 'duration'/ },
    ],
  },
];

const vendorE: RuleCase[] = [
  {
    rule: 'B62: duration is 4-15 s and required (service document 2, vendor-e submit body)',
    kind: 'vendor-e/video',
    base: e,
    good: [{ duration: '4' }, { duration: '15' }],
    bad: [
      { change: { duration: '3' }, code: 'B62', says: /duration must be 4-15 seconds/ },
      { change: { duration: '16' }, code: 'B62', says: /duration must be 4-15 seconds/ },
      { change: { duration: '' }, code: 'B59', says: /duration is required/ },
    ],
  },
  {
    rule: 'B26: prompt has at most 7000 characters (service document 2, vendor-e submit body)',
    kind: 'vendor-e/video',
    base: e,
    good: [{ prompt: 'x'.repeat(7000) }],
    bad: [{ change: { prompt: 'x'.repeat(7001) }, code: 'B26', says: /prompt is 7001 characters, limit 7000/ }],
  },
  {
    rule: 'B39: ratio is required on text only, and left out with media (service document 2, vendor-e submit body)',
    kind: 'vendor-e/video',
    base: eMedia,
    good: [
      ...['21:9', '16:9', '4:3', '1:1', '3:4', '9:16'].map((ratio) => ({ ratio })),
      { first_frame: IMAGE },
      { reference_videos: VIDEO },
      { reference_audio: AUDIO },
    ],
    bad: [
      { change: { ratio: '' }, code: 'B39', says: /ratio is required without an image/ },
      { change: { ratio: 'adaptive' }, code: 'B39', says: /ratio must be 21:9/ },
      { change: { ratio: '16:9', first_frame: IMAGE }, code: 'B39', says: /leave ratio out when media is given/ },
      { change: { ratio: '16:9', reference_audio: AUDIO }, code: 'B39', says: /leave ratio out when media is given/ },
    ],
  },
  {
    rule: 'B58: resolution is 768P or 2K (service document 2, vendor-e submit body)',
    kind: 'vendor-e/video',
    base: e,
    good: [{ resolution: '768P' }, { resolution: '2K' }],
    bad: [{ change: { resolution: '1080P' }, code: 'B58', says: /768P or 2K/ }],
  },
  {
    rule: 'B35: frames and references cannot be mixed (service document 2, vendor-e submit body)',
    kind: 'vendor-e/video',
    base: { ...eMedia, first_frame: IMAGE },
    good: [{ last_frame: IMAGE }],
    bad: [
      { change: { reference_images: IMAGE }, code: 'B35', says: /frames and references cannot be mixed/ },
      { change: { reference_videos: VIDEO }, code: 'B35', says: /frames and references cannot be mixed/ },
      { change: { reference_audio: AUDIO }, code: 'B35', says: /frames and references cannot be mixed/ },
    ],
  },
  {
    rule: 'B36: up to 9 images, 3 videos, 12 files (service document 2, vendor-e submit body, Limits)',
    kind: 'vendor-e/video',
    base: eMedia,
    good: [
      { reference_images: list(IMAGE, 9) },
      { reference_videos: list(VIDEO, 3) },
      { reference_images: list(IMAGE, 8), reference_videos: list(VIDEO, 3), reference_audio: AUDIO },
    ],
    bad: [
      { change: { reference_images: list(IMAGE, 10) }, code: 'B36', says: /reference_images: at most 9, got 10/ },
      { change: { reference_videos: list(VIDEO, 4) }, code: 'B36', says: /reference_videos: at most 3, got 4/ },
      {
        change: { reference_images: list(IMAGE, 9), reference_videos: list(VIDEO, 3), reference_audio: AUDIO },
        code: 'B36',
        says: /at most 12 files, got 13/,
      },
    ],
  },
  {
    rule: 'B40: the right medium in the right column (service document 2, vendor-e submit body)',
    kind: 'vendor-e/video',
    base: eMedia,
    good: [
      { reference_images: IMAGE },
      { reference_videos: VIDEO },
      { reference_audio: AUDIO },
      { first_frame: IMAGE },
    ],
    bad: [
      {
        change: { reference_images: VIDEO },
        code: 'B40',
        says: /needs an image, the URL is MP4; the service would ign/,
      },
      { change: { reference_videos: IMAGE }, code: 'B40', says: /needs a video, the URL is PNG; the service would ig/ },
      { change: { reference_audio: VIDEO }, code: 'B40', says: /needs an audio, the URL is MP4; the service would i/ },
      { change: { first_frame: AUDIO }, code: 'B40', says: /first_frame needs an image/ },
      { change: { reference_videos: 'https://media.example/a.webm' }, code: 'B45', says: /WEBM, needs MP4 or MOV/ },
    ],
  },
  {
    rule: 'B59: last_frame goes with first_frame (service document 2, vendor-e submit body)',
    kind: 'vendor-e/video',
    base: eMedia,
    good: [{ first_frame: IMAGE, last_frame: IMAGE }],
    bad: [{ change: { last_frame: IMAGE }, code: 'B59', says: /last_frame needs first_frame/, at: 'first_frame' }],
  },
];

export const VENDOR_C_D_E_G_RULES: readonly RuleCase[] = [...vendorC, ...vendorG, ...vendorD, ...vendorE];
