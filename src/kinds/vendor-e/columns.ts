import { shownNumber } from '../../domain/shown-number.js';
import { LENGTH_NOISE_SECONDS } from '../fact.js';
import type { Check, KindRules, MediaCheck, MediaRule } from '../rule.js';
import { countOf, has, modelColumn, settled } from '../rule-helpers.js';
import { INCLUDED_IMAGES, MODEL, REFERENCE_SECONDS_MAX } from './facts.js';

/** vendor-e/video: service document 2, `vendor-e` submit body and Limits. */

const RATIOS = ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16'];
const FRAMES = ['first_frame', 'last_frame'];
const REFERENCES = ['reference_images', 'reference_videos', 'reference_audio'];
const COUNTS_MAX: Readonly<Record<string, number>> = { reference_images: 9, reference_videos: 3 };
const FILES_MAX = 12;

const ratioOnText: Check = {
  rule: 'ratio is required without media, and left out with media: the output then follows the source',
  check(row, report) {
    const media = [...FRAMES, ...REFERENCES].find((name) => has(row, name));
    if (media === undefined && !has(row, 'ratio')) {
      report.problem(row, 'B39', 'ratio', `ratio is required without an image; one of ${RATIOS.join(', ')}`);
    }
    if (media !== undefined && has(row, 'ratio')) {
      report.problem(row, 'B39', 'ratio', 'leave ratio out when media is given; the output follows the source');
    }
  },
};

const framesOrReferences: Check = {
  rule: 'frames and references cannot be mixed',
  check(row, report) {
    const frame = FRAMES.find((name) => has(row, name));
    const reference = REFERENCES.find((name) => has(row, name));
    if (frame === undefined || reference === undefined) return;
    report.problem(row, 'B35', reference, `${frame} and ${reference}: frames and references cannot be mixed`);
  },
};

const lastNeedsFirst: Check = {
  rule: 'last_frame goes with first_frame',
  check(row, report) {
    if (!has(row, 'last_frame') || has(row, 'first_frame')) return;
    report.problem(row, 'B59', 'first_frame', 'last_frame needs first_frame');
  },
};

const counts: Check = {
  rule: `at most 9 reference_images, 3 reference_videos and ${FILES_MAX} files together`,
  check(row, report) {
    for (const [name, max] of Object.entries(COUNTS_MAX)) {
      const count = countOf(row, name);
      if (count > max) report.problem(row, 'B36', name, `${name}: at most ${max}, got ${count}`);
    }
    const files = [...FRAMES, ...REFERENCES].reduce((sum, name) => sum + countOf(row, name), 0);
    if (files <= FILES_MAX) return;
    const field = REFERENCES.find((name) => has(row, name)) ?? 'first_frame';
    report.problem(row, 'B36', field, `${field}: the whole media set is at most ${FILES_MAX} files, got ${files}`);
  },
};

const videoTotal: MediaCheck = {
  rule: `reference_videos have at most ${REFERENCE_SECONDS_MAX} s together`,
  check(row, facts, report) {
    const seconds = (facts.get('reference_videos') ?? []).reduce((sum, fact) => sum + (fact.seconds ?? 0), 0);
    if (seconds <= REFERENCE_SECONDS_MAX + LENGTH_NOISE_SECONDS) return;
    const shown = shownNumber(seconds, REFERENCE_SECONDS_MAX, 1);
    const message = `reference_videos have ${shown} s together, limit ${REFERENCE_SECONDS_MAX} s`;
    report.problem(row, 'B45', 'reference_videos', message);
  },
};

const image: MediaRule = {
  sort: 'image',
  otherSorts: 'ignored',
  types: ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif'],
  url: 'http-or-https',
  inline: 'url-only',
  minSide: 256,
  maxSide: 5760,
  maxBytes: 30_000_000,
};
const video: MediaRule = {
  sort: 'video',
  otherSorts: 'ignored',
  types: ['video/mp4', 'video/quicktime'],
  url: 'http-or-https',
  inline: 'url-only',
  maxBytes: 50_000_000,
  minSeconds: 2,
  maxSeconds: 15,
};
const audio: MediaRule = {
  sort: 'audio',
  otherSorts: 'ignored',
  types: ['audio/wav', 'audio/mpeg'],
  url: 'http-or-https',
  inline: 'url-only',
  maxBytes: 15_000_000,
  minSeconds: 2,
  maxSeconds: 15,
};

export const vendorEVideo: KindRules = {
  path: '/v1/vendor-e/v2/video_generation',
  source: 'service document 2, `vendor-e` submit body',
  summary: 'A clip of 4-15 seconds from a text, from frames, or from reference images, videos and audio.',
  columns: [
    { name: 'prompt', type: 'text', required: true, maxCharacters: 7000, help: 'What the clip shows.' },
    {
      name: 'duration',
      type: 'integer',
      required: true,
      min: 4,
      max: 15,
      unit: ' seconds',
      help: 'Whole seconds.',
    },
    modelColumn(MODEL),
    { name: 'first_frame', type: 'media', media: image, help: 'The image that the clip starts with.' },
    { name: 'last_frame', type: 'media', media: image, help: 'The image that the clip ends with.' },
    {
      name: 'reference_images',
      type: 'media',
      many: true,
      media: image,
      help: 'Up to 9; the first 5 are included, each further one adds a charge.',
    },
    { name: 'reference_videos', type: 'media', many: true, media: video, help: 'Up to 3; billed per second.' },
    { name: 'reference_audio', type: 'media', media: audio, help: 'One WAV or MP3 file; free.' },
    {
      name: 'resolution',
      type: 'choice',
      choices: ['768P', '2K'],
      help: '2K costs more per second; the default is not documented.',
    },
    {
      name: 'ratio',
      type: 'choice',
      choices: RATIOS,
      code: 'B39',
      help: 'Required without media, not taken with media; adaptive is rejected.',
    },
  ],
  checks: [ratioOnText, framesOrReferences, lastNeedsFirst, counts],
  mediaChecks: [videoTotal],
  documentedFields: settled('model', 'content', 'resolution', 'duration', 'ratio'),
  costNotes({ media }) {
    const images = media.reference_images?.length ?? 0;
    return images > INCLUDED_IMAGES
      ? [`more than ${INCLUDED_IMAGES} reference images add a charge for each further one`]
      : [];
  },
  problems: {
    B39: 'vendor-e: the ratio is missing, not allowed, or not to be sent.',
  },
  samples: [
    { prompt: 'a fox crosses a road', duration: '4', resolution: '768P', ratio: '16:9' },
    {
      prompt: 'the flower opens',
      duration: '6',
      first_frame: 'https://example.com/bud.png',
      last_frame: 'https://example.com/flower.png',
      resolution: '2K',
    },
    {
      prompt: 'the band plays the song',
      duration: '10',
      reference_images: 'https://example.com/band.jpg|https://example.com/stage.jpg',
      reference_videos: 'https://example.com/move.mp4',
      reference_audio: 'https://example.com/song.mp3',
    },
  ],
};
