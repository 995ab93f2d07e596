import type { RuleCase } from '../support.js';

const IMAGE = 'https://media.example/a.png';
const AUDIO = 'https://media.example/a.mp3';
const avatar = { image: IMAGE, audio: AUDIO };
export const spoken = { avatar_id: 'anna', script: 'Hello.', voice_id: 'v1' };
const film = { model: 'vendor-f-3.1-generate-preview', prompt: 'waves' };

const avatars: RuleCase[] = [
  {
    rule: 'B43: image or avatar_id, not both (service document 2, Avatar video)',
    kind: 'vendor-b/avatar',
    base: avatar,
    good: [{}, { image: '', avatar_id: 'anna' }],
    bad: [
      {
        change: { avatar_id: 'anna' },
        code: 'B43',
        says: /image \(photo engine\) or avatar_id \(catalog engine\), not both/,
      },
      { change: { image: '' }, code: 'B43', says: /image \(photo engine\) or avatar_id .*neither/ },
    ],
  },
  {
    rule: 'B61: extra may not add engine to a photo, nor image to an avatar (service document 2, Avatar video: "Omit when type = image")',
    kind: 'vendor-b/avatar',
    base: avatar,
    good: [{ extra: '{"speed":2}' }, { image: '', avatar_id: 'anna', extra: '{"engine":{"speed":2}}' }],
    bad: [
      { change: { extra: '{"engine":{"speed":2}}' }, code: 'B61', says: /may not add 'engine' .* with image/ },
      {
        change: { image: '', avatar_id: 'anna', extra: '{"image":{"crop":"face"}}' },
        at: 'extra',
        code: 'B61',
        says: /may not add 'image' .* with avatar_id/,
      },
    ],
  },
  {
    rule: 'B42: one speech source (service document 2, Avatar video)',
    kind: 'vendor-b/avatar',
    base: avatar,
    good: [{ audio: '', script: 'Hello.', voice_id: 'v1' }],
    bad: [
      { change: { script: 'Hello.' }, code: 'B42', says: /give audio, or script with voice_id, not both/ },
      { change: { script: 'Hello.', audio: '' }, code: 'B42', says: /script needs voice_id/, at: 'voice_id' },
      { change: { audio: '' }, code: 'B42', says: /no speech: give audio, or script with voice_id/ },
      { change: { voice_id: 'v1' }, code: 'B42', says: /voice_id goes with script/ },
      { change: { voice_id: 'v1', audio: '' }, code: 'B42', says: /script is empty/ },
      { change: { script: ' ', voice_id: 'v1', audio: '' }, code: 'B59', says: /script has only blanks/ },
    ],
  },
  {
    rule: 'B58: resolution is 720p, 1080p or 4k (service document 2, Avatar video)',
    kind: 'vendor-b/avatar',
    base: spoken,
    good: ['720p', '1080p', '4k'].map((resolution) => ({ resolution })),
    bad: ['480p', '4K', '1080P'].map((resolution) => ({
      change: { resolution },
      code: 'B58',
      says: /resolution must be 720p, 1080p or 4k/,
    })),
  },
  {
    rule: 'B58: aspect_ratio is one of six (service document 2, Avatar video)',
    kind: 'vendor-b/avatar',
    base: spoken,
    good: ['auto', '16:9', '9:16', '4:5', '5:4', '1:1'].map((aspect_ratio) => ({ aspect_ratio })),
    bad: [{ change: { aspect_ratio: '4:3' }, code: 'B58', says: /auto, 16:9, 9:16, 4:5, 5:4 or 1:1/ }],
  },
  {
    rule: 'B44: media URLs are public https (service document 2, Avatar video)',
    kind: 'vendor-b/avatar',
    base: avatar,
    bad: [
      {
        change: { image: 'http://media.example/a.png' },
        code: 'B44',
        says: /image must be a public https URL, not http/,
      },
      {
        change: { audio: 'http://media.example/a.mp3' },
        code: 'B44',
        says: /audio must be a public https URL, not http/,
      },
    ],
  },
  {
    rule: 'B45: audio is a WAV or MP3 file (service document 2, Avatar video)',
    kind: 'vendor-b/avatar',
    base: avatar,
    good: [{ audio: 'https://media.example/a.wav' }],
    bad: [
      { change: { audio: 'https://media.example/a.ogg' }, code: 'B45', says: /needs WAV or MP3/ },
      { change: { audio: 'https://media.example/a.mp4' }, code: 'B40', says: /audio needs an audio, the URL is MP4/ },
      { change: { image: 'https://media.example/a.mp3' }, code: 'B40', says: /image needs an image, the URL is MP3/ },
    ],
  },
  {
    rule: 'B25: no duration, prompt or model (service document 2, Avatar video)',
    kind: 'vendor-b/avatar',
    base: avatar,
    bad: ['duration', 'prompt', 'model'].map((name) => ({
      change: { [name]: '5' },
      code: 'B25',
      says: new RegExp(`vendor-b/avatar does not take '${name}'; it takes: image, avatar_id`),
    })),
  },
];

const films: RuleCase[] = [
  {
    rule: 'B13: model is one of three (service document 2, vendor-f submit body)',
    kind: 'vendor-f/video',
    base: film,
    good: ['generate', 'fast-generate', 'lite-generate'].map((tier) => ({ model: `vendor-f-3.1-${tier}-preview` })),
    bad: [{ change: { model: 'vendor-f-3.1' }, code: 'B13', says: /known: vendor-f-3\.1-generate-preview/ }],
  },
  {
    rule: 'B41: duration is 4, 6 or 8 (service document 2, vendor-f submit body)',
    kind: 'vendor-f/video',
    base: film,
    good: ['4', '6', '8'].map((duration) => ({ duration })),
    bad: ['3', '5', '7', '9', '0'].map((duration) => ({
      change: { duration },
      code: 'B41',
      says: /duration must be 4, 6 or 8 seconds/,
    })),
  },
  {
    rule: 'B41: 4k is not available on lite (service document 2, vendor-f submit body)',
    kind: 'vendor-f/video',
    base: film,
    good: [
      ...['720p', '1080p', '4k'].map((resolution) => ({ resolution })),
      { model: 'vendor-f-3.1-fast-generate-preview', resolution: '4k' },
      { model: 'vendor-f-3.1-lite-generate-preview', resolution: '1080p' },
    ],
    bad: [
      {
        change: { resolution: '4k', model: 'vendor-f-3.1-lite-generate-preview' },
        code: 'B41',
        says: /4k is not available on lite/,
      },
      { change: { resolution: '480p' }, code: 'B41', says: /resolution must be 720p, 1080p or 4k/ },
    ],
  },
  {
    rule: 'B59: prompt and model are required (service document 2, vendor-f submit body)',
    kind: 'vendor-f/video',
    base: film,
    bad: [
      { change: { prompt: '' }, code: 'B59', says: /prompt is required/ },
      { change: { model: '' }, code: 'B59', says: /model is required/ },
    ],
  },
  {
    rule: 'an image URL is fetched by callsheet, so http is in order too (service document 2, vendor-f submit body)',
    kind: 'vendor-f/video',
    base: film,
    good: [{ image: IMAGE }, { image: 'http://media.example/a.png' }],
    bad: [{ change: { image: 'https://media.example/a.mp4' }, code: 'B40', says: /image needs an image/ }],
  },
  {
    rule: 'B60: an interaction needs a JSON object (service document 1, Endpoints)',
    kind: 'vendor-f/interaction',
    base: { body: '{"a":1}' },
    good: [{ body: '{}' }, { body: '{"a":[{"b":null}]}' }],
    bad: [
      { change: { body: '' }, code: 'B59', says: /body is required/ },
      { change: { body: '[1]' }, code: 'B60', says: /body must be a JSON object/ },
      { change: { body: '{"a"' }, code: 'B60', says: /body must be a JSON object/ },
      { change: { body: '"text"' }, code: 'B60', says: /body must be a JSON object/ },
      { change: { body: '{"a":1e400}' }, code: 'B60', says: /too large to be sent exactly/ },
      { change: { body: '{"a":12345678901234567890}' }, code: 'B60', says: /too large to be sent exactly/ },
      { change: { body: '{"__proto__":{"a":1}}' }, code: 'B60', says: /__proto__/ },
      { change: { body: `{"a":${'['.repeat(80)}${']'.repeat(80)}}` }, code: 'B60', says: /deeper than 64/ },
      { change: { extra: '{"a":1}' }, code: 'B25', says: /vendor-f\/interaction does not take 'extra'/ },
      { change: { prompt: 'x' }, code: 'B25', says: /vendor-f\/interaction does not take 'prompt'; it takes: body/ },
    ],
  },
];

export const VENDOR_B_AND_F_RULES: readonly RuleCase[] = [...avatars, ...films];
