import type { DraftRow, KindRules, MediaCheck, Report } from '../rule.js';
import { numberOf, textOf } from '../rule-helpers.js';
import { modelColumn, vendorAFields } from './columns.js';
import { DECLARED_SECONDS_MAX, DRIVER_SECONDS_MAX, MODEL } from './facts.js';

/** vendor-a/motion-control: service document 2, Multi-mode video. */

/** A driver of 5.04 s is one of 5 seconds with a frame more: two frames of the documented 24 a second are let pass. */
const SECONDS_SLACK = 2 / 24;

const driverLength: MediaCheck = {
  rule: 'the driver clip is at most 10 s with orientation image and 30 s with video; declaring less than its length, which is unknown behind a URL, is charged later, declaring more is not refunded (warnings)',
  check(row, facts, report) {
    const seconds = facts.get('video')?.[0]?.seconds;
    const orientation = textOf(row, 'character_orientation') ?? '';
    const cap = isOrientation(orientation) ? DRIVER_SECONDS_MAX[orientation] : undefined;
    if (seconds === undefined) return warnOfUnknown(row, cap, report);
    const shown = seconds.toFixed(1);
    if (cap !== undefined && seconds > cap + SECONDS_SLACK) {
      const message = `video is ${shown} s, limit ${cap} s with character_orientation ${orientation}`;
      report.problem(row, 'B28', 'video', message);
    }
    const declared = numberOf(row, 'input_video_seconds');
    if (declared !== undefined && seconds > declared + SECONDS_SLACK) {
      const message = `input_video_seconds is ${declared}, the video has ${shown} s; under-declaring is charged later`;
      report.warning(row, 'B28', 'input_video_seconds', message);
    }
    const needed = Math.max(1, Math.ceil(seconds - SECONDS_SLACK));
    if (declared !== undefined && declared > needed) {
      const message = `input_video_seconds is ${declared}, the video has ${shown} s; over-declaring is not refunded by itself`;
      report.warning(row, 'B28', 'input_video_seconds', message);
    }
  },
};

function isOrientation(text: string): text is keyof typeof DRIVER_SECONDS_MAX {
  return Object.hasOwn(DRIVER_SECONDS_MAX, text);
}

/** The driver behind a URL may be as long as its orientation allows; more than is declared is charged afterwards. */
function warnOfUnknown(row: DraftRow, cap: number | undefined, report: Report): void {
  const declared = numberOf(row, 'input_video_seconds');
  if (declared === undefined || cap === undefined || declared >= cap) return;
  const message = `input_video_seconds is ${declared}, and how long the video is cannot be seen here: up to ${cap} s are charged later where it is longer`;
  report.warning(row, 'B28', 'input_video_seconds', message);
}

export const vendorAMotionControl: KindRules = {
  path: '/v1/vendor-a/videos/motion-control',
  source: 'service document 2, Multi-mode video',
  summary: 'A character moved by a driver clip.',
  columns: [
    {
      name: 'image',
      type: 'media',
      required: true,
      media: {
        sort: 'image',
        sortBy: { column: 'character_orientation', sorts: { image: 'image', video: 'video' } },
        url: 'http-or-https',
        inline: 'bytes',
      },
      help: 'The character: a still image; a video when the orientation is video.',
    },
    {
      name: 'video',
      type: 'media',
      required: true,
      media: { sort: 'video', url: 'http-or-https', inline: 'url-only' },
      help: 'The driver clip.',
    },
    {
      name: 'character_orientation',
      type: 'choice',
      choices: ['image', 'video'],
      required: true,
      help: 'image: still image, driver up to 10 s; video: video, driver up to 30 s.',
    },
    {
      name: 'input_video_seconds',
      type: 'integer',
      required: true,
      unlessFed: 'video',
      min: 1,
      max: DECLARED_SECONDS_MAX,
      code: 'B28',
      missing: { code: 'B28', message: 'input_video_seconds 1-10 is required (under-declaring is charged later)' },
      help: 'Length of the driver clip: what is billed. Under-declaring is charged later, over-declaring not refunded. May be empty where a film of the manifest feeds the row.',
    },
    modelColumn(MODEL),
    {
      name: 'mode',
      type: 'choice',
      choices: ['std', 'pro'],
      code: 'B29',
      help: 'motion-control modes: std, pro.',
    },
  ],
  mediaChecks: [driverLength],
  refusedColumns: {
    prompt: { code: 'B28', message: "motion-control does not take 'prompt'" },
    duration: {
      code: 'B28',
      message: "motion-control does not take 'duration'; input_video_seconds drives its length",
    },
  },
  documentedFields: vendorAFields,
  problems: {
    B28: 'Motion control: a forbidden or missing cell, or a wrong driver length.',
    B29: 'Motion control: the mode is not std or pro.',
  },
  samples: [
    {
      image: 'https://example.com/dancer.png',
      video: 'https://example.com/steps.mp4',
      character_orientation: 'image',
      input_video_seconds: '10',
      mode: 'std',
    },
  ],
};
