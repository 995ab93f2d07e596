import type { Check, KindRules } from '../rule.js';
import { has, settled, textOf } from '../rule-helpers.js';

/** vendor-b/avatar: POST /v1/vendor-b/v3/videos, service document 2. */

const oneFace: Check = {
  rule: 'exactly one of image (photo engine) and avatar_id (catalog engine)',
  check(row, report) {
    if (has(row, 'image') !== has(row, 'avatar_id')) return;
    const field = has(row, 'image') ? 'avatar_id' : 'image';
    const tail = has(row, 'image') ? ', not both' : '; the row has neither';
    report.problem(row, 'B43', field, `give image (photo engine) or avatar_id (catalog engine)${tail}`);
  },
};

const oneSpeech: Check = {
  rule: 'exactly one speech source: audio, or script with voice_id',
  check(row, report) {
    const [audio, script, voice] = [has(row, 'audio'), has(row, 'script'), has(row, 'voice_id')];
    if (audio && script) {
      report.problem(row, 'B42', 'script', 'give audio, or script with voice_id, not both');
    } else if (script && !voice) {
      report.problem(row, 'B42', 'voice_id', 'script needs voice_id');
    } else if (!script && voice) {
      const other = audio ? 'with audio leave it out' : 'script is empty';
      report.problem(row, 'B42', 'voice_id', `voice_id goes with script; ${other}`);
    } else if (!audio && !script) {
      report.problem(row, 'B42', 'audio', 'the row has no speech: give audio, or script with voice_id');
    }
  },
};

const autoPhoto: Check = {
  rule: 'with a photo, aspect_ratio auto gives 1280x720 cropped to the face (warning): send the nearest canvas',
  check(row, report) {
    if (!has(row, 'image') || textOf(row, 'aspect_ratio') !== 'auto') return;
    const message =
      'aspect_ratio auto does not read a photo: the clip is 1280x720, cropped to the face; send the nearest canvas';
    report.warning(row, 'B63', 'aspect_ratio', message);
  },
};

const ownFace: Check = {
  rule: 'with a photo, extra may not add engine, and with an avatar_id not image: each engine has one of them',
  check(row, report) {
    if (has(row, 'image') && row.extra?.engine !== undefined) {
      const message = "extra may not add 'engine' to a row with image: the photo engine takes none";
      report.problem(row, 'B61', 'extra', message);
    }
    if (has(row, 'avatar_id') && row.extra?.image !== undefined) {
      const message = "extra may not add 'image' to a row with avatar_id: the catalog engine takes none";
      report.problem(row, 'B61', 'extra', message);
    }
  },
};

export const vendorBAvatar: KindRules = {
  path: '/v1/vendor-b/v3/videos',
  source: 'service document 2, Avatar video',
  summary: 'A talking avatar, as long as its speech.',
  columns: [
    {
      name: 'image',
      type: 'media',
      media: { sort: 'image', url: 'https', inline: 'bytes' },
      help: 'The photo that speaks (photo engine); or avatar_id.',
    },
    { name: 'avatar_id', type: 'text', help: 'An avatar of the catalog (catalog engine); or image.' },
    {
      name: 'audio',
      type: 'media',
      media: { sort: 'audio', types: ['audio/wav', 'audio/mpeg'], url: 'https', inline: 'url-only' },
      help: 'The speech as a WAV or MP3 file; must stay reachable until the job ends.',
    },
    { name: 'script', type: 'text', help: 'The speech as text; needs voice_id.' },
    { name: 'voice_id', type: 'text', help: 'Who speaks the script; `callsheet voices` lists them.' },
    {
      name: 'resolution',
      type: 'choice',
      choices: ['720p', '1080p', '4k'],
      help: 'Does not change price or render time.',
    },
    {
      name: 'aspect_ratio',
      type: 'choice',
      choices: ['auto', '16:9', '9:16', '4:5', '5:4', '1:1'],
      help: 'The canvas; with a photo, auto does not read the photo: send the nearest canvas.',
    },
  ],
  checks: [oneFace, oneSpeech, autoPhoto, ownFace],
  documentedFields: {
    ...settled('model', 'type', 'avatar_id', 'audio_url', 'script', 'voice_id', 'resolution', 'aspect_ratio'),
    image: settled('type', 'url', 'media_type', 'data'),
    engine: settled('type'),
  },
  problems: {
    B42: 'Avatar: the speech source is missing, doubled or incomplete.',
    B43: 'Avatar: both or neither of image and avatar_id.',
  },
  samples: [
    { image: 'https://example.com/portrait.jpg', audio: 'https://example.com/greeting.mp3', aspect_ratio: '9:16' },
    { avatar_id: 'anna', script: 'Welcome to the show.', voice_id: 'v-amber-en', resolution: '720p' },
  ],
};
