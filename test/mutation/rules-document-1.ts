import { type RuleMutation, within } from './within.js';

/** The rules of rows in service document 1. */
export const DOCUMENT_1_MUTATIONS: readonly RuleMutation[] = [
  ...within('src/kinds/svc/image-columns.ts', [
    [9, "if (has(row, 'tier') && row.model === DELTA) {", "if (row.model === 'none') {"],
    [17, "  'svc-alpha.1-schnell',\n", ''],
    [37, "{ name: 'prompt', type: 'text', required: true,", "{ name: 'prompt', type: 'text',"],
    [38, "choices: ['radical_speed', 'radical_value'],", "choices: ['radical_speed', 'radical_value', 'fast'],"],
    [38, "if (has(row, 'tier') && row.model === DELTA) {", "if (row.model === 'none') {", 1],
    [39, "name: 'width', type: 'integer', min: 1, max: 8192", "name: 'width', type: 'integer', min: 1, max: 8193"],
    [40, 'value <= 2048 && value % 16 === 0', 'value <= 2048'],
    [41, 'max: 50,', 'max: 51,'],
    [42, 'if (model !== DELTA || cells.steps !== undefined) return [];', 'if (cells.steps !== 0) return [];'],
    [43, 'max: 20,', 'max: 21,'],
    [44, "if (has(row, 'prompt_expansion') && row.model !== DELTA) {", "if (row.model === 'none') {"],
    [49, "if (row.model === '' || row.model === DELTA ||", "if (row.model !== '' ||"],
    [51, '  [3104, 1312],\n', ''],
  ]),
  ...within('src/kinds/svc/edit-columns.ts', [
    [18, "'svc-alpha.2-klein-9b-edit', ", ''],
    [52, "{ name: 'prompt', type: 'text', required: true,", "{ name: 'prompt', type: 'text',"],
    [
      54,
      "types: ['image/png', 'image/jpeg', 'image/webp'],",
      "types: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],",
    ],
    [55, 'maxBytes: 10_000_000,', 'maxBytes: 20_000_000,'],
    [56, 'minSide: 64,', 'minSide: 63,'],
    [57, 'maxRatio: 8,', 'maxRatio: 9,'],
    [60, "name: 'width',\n      type: 'integer',\n      required: true,", "name: 'width',\n      type: 'integer',"],
    [61, "choices: ['radical_speed', 'radical_value'],", "choices: ['radical_speed', 'radical_value', 'fast'],"],
    [61, '  columns: [\n', "  columns: [\n    { name: 'steps', type: 'text', help: '' },\n", 1],
  ]),
  ...within('src/kinds/svc/clip-columns.ts', [
    [
      9,
      "    { name: 'prompt', type: 'text', required: true, help: 'The shot:",
      "    { name: 'tier', type: 'text', help: '' },\n    { name: 'prompt', type: 'text', required: true, help: 'The shot:",
      1,
    ],
    [19, "['svc-epsilon-2.5-video', 'svc-epsilon-2.3-video']", "['svc-epsilon-2.5-video']"],
    [62, '    if ((width === 1920 && height === 1080) || (width === 1280 && height === 720)) return;', '    return;'],
    [63, 'if (cells.width !== undefined) return [];', 'if (cells.width !== 0) return [];'],
    [64, 'max: 8,', 'max: 9,'],
    [65, "extra: settled('audio'),", 'extra: {},', 2],
    [
      70,
      "types: ['image/png', 'image/jpeg'], url: 'https'",
      "types: ['image/png', 'image/jpeg'], url: 'http-or-https'",
    ],
    [70, "types: ['image/png', 'image/jpeg'],", "types: ['image/png', 'image/jpeg', 'image/webp'],", 1],
    [213, "...settled('messages', 'image_url'),", "...settled('messages'),", 1],
  ]),
  ...within('src/kinds/rule-helpers.ts', [
    [48, "    if (has(row, 'width') === has(row, 'height')) return;", '    return;'],
  ]),
  ...within('src/manifest/cell-values.ts', [
    [47, " || (type === 'integer' && !Number.isSafeInteger(value))", ''],
    [50, 'const PLAIN_INTEGER = /^-?(?:0|[1-9][0-9]*)$/;', 'const PLAIN_INTEGER = /^-?[0-9.]+$/;'],
  ]),
  ...within('src/manifest/columns.ts', [
    [45, "  n: 'the service supports one output per request: add rows instead',\n", '', 1],
  ]),
  ...within('src/manifest/media/media-url.ts', [[58, '      if (flaw !== undefined) return flaw;\n', '']]),
  ...within('src/manifest/media/remote-media.ts', [
    [193, 'bytesFlaw(name, found.totalBytes, rule) ?? headFlaw(', 'headFlaw('],
  ]),
  ...within('src/manifest/validate-manifest.ts', [
    [139, '  if (known === undefined || known.has(voice)) return;', '  return;'],
  ]),
];
