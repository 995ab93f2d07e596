import { isJsonObject } from '../../domain/json.js';
import type { Check, DraftRow, KindRules } from '../rule.js';
import { countOf, has, listOf, modelColumn, textOf } from '../rule-helpers.js';
import { BESIDE_SHOTS, durationColumn, modeColumn, PROMPT_CHARACTERS_MAX, vendorAFields } from './columns.js';
import { OMNI_MODEL, OMNI_STORYBOARD_SECONDS_MAX } from './facts.js';
import { storyboardCheck, storyboardColumns } from './storyboard-columns.js';

/** vendor-a/omni-video: service document 2, Multi-mode video. */

const REFERENCES_MAX = 7;

function imagesOf(row: DraftRow): number {
  return countOf(row, 'images') + countOf(row, 'first_frame') + countOf(row, 'end_frame');
}

const references: Check = {
  rule: `omni needs 1-${REFERENCES_MAX} reference inputs: images, videos, elements, first_frame and end_frame together`,
  check(row, report) {
    const names = ['images', 'videos', 'elements', 'first_frame', 'end_frame'];
    const elements = listOf(row, 'elements');
    const isBroken = names.some(
      (name) => has(row, name) && !row.mediaCounts.has(name) && listOf(row, name) === undefined,
    );
    if (isBroken) return; // Already said.
    const count = imagesOf(row) + countOf(row, 'videos') + (elements?.length ?? 0);
    if (count >= 1 && count <= REFERENCES_MAX) return;
    const field = names.find((name) => has(row, name)) ?? 'images';
    report.problem(
      row,
      'B31',
      field,
      `omni needs 1-${REFERENCES_MAX} reference inputs, got ${count} (${names.join(', ')})`,
    );
  },
};

const elementObjects: Check = {
  rule: 'elements is an array of objects',
  check(row, report) {
    const wrong = (listOf(row, 'elements') ?? []).findIndex((element) => !isJsonObject(element));
    if (wrong === -1) return;
    report.problem(row, 'B60', 'elements', `elements: item ${wrong + 1} must be a JSON object`);
  },
};

const placeholders: Check = {
  rule: 'the prompt refers to inputs by <<<image_1>>>, <<<video_1>>>, <<<element_1>>>, counted from 1 (warning beyond the last)',
  check(row, report) {
    const counts: Record<string, number> = {
      image: imagesOf(row),
      video: countOf(row, 'videos'),
      element: listOf(row, 'elements')?.length ?? 0,
    };
    for (const [field, text] of textsOf(row)) {
      for (const match of text.matchAll(/<<<(image|video|element)_([0-9]{1,3})>>>/g)) {
        const [placeholder, sort = '', number = ''] = match;
        const count = counts[sort] ?? 0;
        if (Number(number) >= 1 && Number(number) <= count) continue;
        report.warning(row, 'B31', field, `${field} refers to ${placeholder}, the row has ${count} of that sort`);
      }
    }
  },
};

/** The prompt that counts: in storyboard mode those of the shots, and the top-level one is ignored. */
function textsOf(row: DraftRow): [field: string, text: string][] {
  const shots = listOf(row, 'shots');
  if (shots === undefined) return [['prompt', textOf(row, 'prompt') ?? '']];
  return shots.filter(isJsonObject).map(({ prompt }) => ['shots', typeof prompt === 'string' ? prompt : '']);
}

const image = { sort: 'image', url: 'http-or-https', inline: 'bytes' } as const;

export const vendorAOmniVideo: KindRules = {
  path: '/v1/vendor-a/videos/omni-video',
  source: 'service document 2, Multi-mode video',
  summary: 'A clip from reference images, videos and elements, also as a storyboard of up to 30 seconds.',
  columns: [
    { name: 'images', type: 'media', many: true, media: image, help: 'Additional reference images.' },
    {
      name: 'videos',
      type: 'media',
      many: true,
      media: { sort: 'video', url: 'http-or-https', inline: 'url-only' },
      help: 'Reference videos.',
    },
    {
      name: 'elements',
      type: 'json',
      shape: 'list',
      help: 'Reference elements as a JSON array; the fields of its items are not documented.',
    },
    { name: 'first_frame', type: 'media', media: image, help: 'The image that the clip starts with.' },
    { name: 'end_frame', type: 'media', media: image, help: 'The image that the clip ends with.' },
    {
      name: 'prompt',
      type: 'text',
      maxCharacters: PROMPT_CHARACTERS_MAX,
      ...BESIDE_SHOTS,
      help: 'Refers to inputs by <<<image_1>>>, <<<video_1>>>, <<<element_1>>>.',
    },
    modelColumn(OMNI_MODEL),
    modeColumn,
    { ...durationColumn, ...BESIDE_SHOTS },
    ...storyboardColumns,
  ],
  checks: [
    elementObjects,
    references,
    placeholders,
    storyboardCheck({ task: 'omni', shotSecondsMax: 10, totalSecondsMax: OMNI_STORYBOARD_SECONDS_MAX }),
  ],
  refusedColumns: {
    sound: { code: 'B33', message: 'sound is not for omni; it is for text2video and image2video' },
  },
  documentedFields: vendorAFields,
  problems: {
    B31: 'Omni video: no reference inputs, or too many.',
  },
  samples: [
    {
      images: 'https://example.com/hero.png|https://example.com/street.jpg',
      prompt: '<<<image_1>>> walks down the street of <<<image_2>>>',
      duration: '5',
    },
    {
      first_frame: 'https://example.com/start.png',
      end_frame: 'https://example.com/end.png',
      shot_type: 'intelligence',
      shots: '[{"prompt":"she looks up","duration":4},{"prompt":"the sky clears","duration":6}]',
    },
  ],
};
