// Rows that must be refused, each with what the user must read: the column's number, the code, the facts.

import type { BadManifest } from './bad-manifest.js';

const COLUMNS = [
  'id',
  'kind',
  'model',
  'prompt',
  'width',
  'height',
  'tier',
  'steps',
  'avatar_id',
  'script',
  'voice_id',
  'image',
  'audio',
  'resolution',
  'duration',
  'output',
] as const;
type Column = (typeof COLUMNS)[number];
type BadCells = Partial<Record<Column, string>>;

const IMAGE: BadCells = {
  kind: 'svc/image',
  model: 'svc-alpha.2-klein-4b',
  prompt: 'a fox',
  width: '64',
  height: '64',
};
const DELTA: BadCells = { kind: 'svc/image', model: 'svc-delta-4', prompt: 'a fox', width: '1024', height: '1024' };
const GAMMA: BadCells = { kind: 'svc/image', model: 'svc-gamma-o1-image', prompt: 'a fox' };
const AVATAR: BadCells = { kind: 'vendor-b/avatar', avatar_id: 'anna', script: 'Hello.', voice_id: 'v-amber-en' };
const FILM: BadCells = { kind: 'vendor-f/video', model: 'vendor-f-3.1-fast-generate-preview', prompt: 'a fox' };
const LITE = 'vendor-f-3.1-lite-generate-preview';
const PHOTO: BadCells = { ...AVATAR, avatar_id: '' };
const HTTPS = 'must be a public https URL';

const bad = (code: string, what: string, cells: BadCells, at: Column, message: string | RegExp) => {
  return { code, what, cells, at, message };
};

/** The first two rows are good; the third is the first bad one. */
const GOOD_ROWS: BadCells[] = [
  { ...IMAGE, id: 'good' },
  { ...IMAGE, id: 'taken', output: 'same' },
];

const BAD_ROWS = [
  bad('B10', 'an empty id', { ...IMAGE, id: '' }, 'id', "row needs a non-empty 'id'"),
  bad('B11', 'an id that was used', { ...IMAGE, id: 'good' }, 'id', "id 'good' already used on line 2"),
  bad('B11', 'an id that differs by case alone', { ...IMAGE, id: 'GOOD' }, 'id', "id 'GOOD' already used on line 2"),
  bad('B12', 'an id with a slash', { ...IMAGE, id: 'a/b' }, 'id', 'id may use letters, digits, . _ - (max 120)'),
  bad('B12', 'an id with two dots', { ...IMAGE, id: 'a..b' }, 'id', "id may not contain '..'"),
  bad('B12', 'an id with a control character', { ...IMAGE, id: 'a\u0007b' }, 'id', String.raw`got 'a\x07b'`),
  bad('B12', 'a long id', { ...IMAGE, id: 'x'.repeat(121) }, 'id', /\(max 120\), got 'x{79}…'$/),
  bad('B12', 'a device name', { ...IMAGE, id: 'con' }, 'id', 'id may not be a Windows device name'),
  bad('B13', 'an unknown model', { ...IMAGE, model: 'svc-9' }, 'model', "unknown model 'svc-9'; known: svc-alpha"),
  bad('B13', 'a key in the wrong cell', { ...IMAGE, model: 'sk-svc-secret' }, 'model', /model '\[redacted\]'/),
  bad('B14', 'a width without a height', { ...IMAGE, height: '' }, 'width', 'width and height go together'),
  bad('B15', 'no size', { ...IMAGE, width: '', height: '' }, 'width', 'needs width and height; there is no default'),
  bad('B16', 'a point', { ...IMAGE, width: '1024.0' }, 'width', "width must be a plain integer (1-8192), got '1024.0'"),
  bad('B16', 'an exponent', { ...IMAGE, width: '1e3' }, 'width', "width must be a plain integer (1-8192), got '1e3'"),
  bad(
    'B16',
    'other digits',
    { ...IMAGE, width: '١٠٢٤' },
    'width',
    "width must be a plain integer (1-8192), got '١٠٢٤'",
  ),
  bad('B16', 'blanks', { ...IMAGE, width: ' 1024 ' }, 'width', "width must be a plain integer (1-8192), got ' 1024 '"),
  bad('B17', 'a width of 0', { ...IMAGE, width: '0' }, 'width', "width must be 1-8192, got '0'"),
  bad('B17', 'a width of 8193', { ...IMAGE, width: '8193' }, 'width', "width must be 1-8192, got '8193'"),
  bad('B18', 'a size off the grid', { ...DELTA, width: '1030' }, 'width', '1024-2048 in steps of 16'),
  bad(
    'B19',
    'a gamma size',
    { ...GAMMA, width: '2000', height: '2000' },
    'width',
    /gamma renders only: 1024x1024, .*; nearest 2048x2048/,
  ),
  bad('B20', 'a tier on delta', { ...DELTA, tier: 'radical_speed' }, 'tier', "delta takes 'steps', not 'tier'"),
  bad('B21', 'steps on alpha', { ...IMAGE, steps: '20' }, 'steps', 'steps is for delta and gamma only'),
  bad('B21', 'too many steps', { ...DELTA, steps: '51' }, 'steps', "steps must be 1-50, got '51'"),
  bad('B25', 'a cell of another kind', { ...IMAGE, script: 'Hello.' }, 'script', "not take 'script'; it takes: model"),
  bad('B25', 'a size on a film', { ...FILM, width: '1280' }, 'width', "vendor-f/video does not take 'width'"),
  bad('B41', '4k on lite', { ...FILM, model: LITE, resolution: '4k' }, 'resolution', '4k is not available on lite'),
  bad('B41', 'a duration of 5', { ...FILM, duration: '5' }, 'duration', 'duration must be 4, 6 or 8 seconds'),
  bad('B42', 'a script without a voice', { ...AVATAR, voice_id: '' }, 'voice_id', 'script needs voice_id'),
  bad('B42', 'no speech', { ...AVATAR, script: '', voice_id: '' }, 'audio', 'give audio, or script with voice_id'),
  bad(
    'B42',
    'two speeches',
    { ...AVATAR, audio: 'https://example.com/a.mp3' },
    'script',
    'give audio, or script with voice_id, not both',
  ),
  bad(
    'B43',
    'two faces',
    { ...AVATAR, image: 'https://example.com/a.png' },
    'avatar_id',
    'give image (photo engine) or avatar_id (catalog engine), not both',
  ),
  bad('B43', 'no face', PHOTO, 'image', 'give image (photo engine) or avatar_id (catalog engine)'),
  bad('B44', 'http where https is asked', { ...PHOTO, image: 'http://example.com/a.png' }, 'image', HTTPS),
  bad(
    'B44',
    'credentials in a URL',
    { ...PHOTO, image: 'https://me:pass@example.com/a.png' },
    'image',
    `${HTTPS} without credentials in it`,
  ),
  bad(
    'B44',
    'a private address',
    { ...PHOTO, image: 'https://10.0.0.5/a.png' },
    'image',
    'image url must be public https (host is 10.0.0.5)',
  ),
  bad('B44', 'a file: URL', { ...PHOTO, image: 'file:///etc/passwd' }, 'image', HTTPS),
  bad(
    'B45',
    'a file that is not there',
    { ...FILM, image: 'nowhere.png' },
    'image',
    "image: cannot read 'nowhere.png': no such file",
  ),
  bad(
    'B45',
    'a file outside the folder',
    { ...FILM, image: '../outside.png' },
    'image',
    /no such file|is outside the manifest's folder/,
  ),
  bad(
    'B45',
    'a link that leads out',
    { ...FILM, image: 'link.png' },
    'image',
    "is a link that leads out of the manifest's folder",
  ),
  bad(
    'B40',
    'a text as an image',
    { ...FILM, image: 'notes.png' },
    'image',
    'image needs an image, the file is of no known type',
  ),
  bad(
    'B46',
    'an output that leaves the folder',
    { ...IMAGE, output: '../x' },
    'output',
    "template '../x' leaves the output folder",
  ),
  bad('B46', 'an unknown field in the output', { ...IMAGE, output: '{colour}' }, 'output', "unknown field '{colour}'"),
  bad('B46', 'an output that is taken', { ...IMAGE, output: 'same' }, 'output', /lines 3 and \d+ both write 'same'/),
];

/** Ids, images, avatars, films and output names. */
export const BAD_ROWS_MANIFEST: BadManifest = { columns: COLUMNS, good: GOOD_ROWS, bad: BAD_ROWS };
