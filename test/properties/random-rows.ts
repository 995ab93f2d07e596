import fc from 'fast-check';
import type { Kind } from '../../src/domain/kind.js';
import { rulesOf } from '../../src/kinds/index.js';
import type { Column, MediaColumn } from '../../src/kinds/rule.js';
import { jpeg, mp3, png, wav, webp } from '../manifest/media-samples.js';

/** Random rows of a kind, as a manifest holds them: mostly plausible, on and around every documented limit. */

export type Cells = Record<string, string>;

/** Which optional columns are filled: rarely all, so that columns which exclude each other meet as well as miss. */
const FILLED_PERCENT = 35;

const SIZES: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  'svc/image': [
    ...['1x1', '8192x8192', '8193x64', '64x8193', '1024x1024', '1030x1024', '2048x1040', '1008x1024'],
    ...['2560x1440', '1312x3104', '2304x1792', '2496x1664'],
  ],
  'svc/edit': ['1x1', '8192x1', '64x64', '1024x1536', '8193x64', '0x64'],
  'svc/clip': ['1920x1080', '1280x720', '1280x1080', '1920x720'],
  'svc/animation': ['1920x1080', '1280x720', '1280x1080', '1920x720'],
};

const IMAGE_URLS = [
  'https://media.example/a.png',
  'http://media.example/b.jpg',
  'https://media.example/c.webp?x=1&y=%2F#part',
  'https://media.example/without-name',
  'https://media.example:8443/päth/d.jpeg',
  'https://93.184.215.14/e.png',
  'https://media.example/f.gif',
  'https://media.example/wrong.mp4',
];
const VIDEO_URLS = ['https://media.example/a.mp4', 'http://media.example/b.mov', 'https://media.example/v'];
const AUDIO_URLS = ['https://media.example/a.mp3', 'http://media.example/b.wav', 'https://media.example/s'];

const dataUri = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString('base64')}`;

const IMAGE_DATA = [
  dataUri('image/png', png(64, 64)),
  dataUri('image/png', png(63, 64)),
  dataUri('image/png', png(512, 64, { alpha: true })),
  dataUri('image/png', png(520, 64)),
  dataUri('image/jpeg', jpeg(640, 480)),
  dataUri('image/webp', webp(400, 300)),
  // The declared type is not what the bytes are.
  dataUri('image/png', jpeg(64, 64)),
  dataUri('audio/wav', wav(0.01)),
  dataUri('audio/mpeg', mp3(0.024)),
];

/** Cells by column for a row of this kind; ids are given by the caller. */
export function randomCells(kind: Kind): fc.Arbitrary<Cells> {
  const { columns } = rulesOf(kind);
  const sized = SIZES[kind];
  const cells = columns.map((column) => cellOf(kind, column));
  return fc
    .tuple(fc.tuple(...cells), fc.option(sized === undefined ? fc.constant('') : fc.constantFrom(...sized)))
    .map(([texts, size]) => {
      const row = Object.fromEntries(columns.map(({ name }, at) => [name, texts[at] ?? '']));
      if (sized !== undefined) [row.width = '', row.height = ''] = size?.split('x') ?? [];
      return paired(kind, row);
    });
}

/** Where columns go together, they mostly do: else hardly any row would be good. */
function paired(kind: Kind, row: Cells): Cells {
  const emptied = (...names: string[]): Cells => ({ ...row, ...Object.fromEntries(names.map((name) => [name, ''])) });
  const turn = Object.values(row).join('').length % 8;
  switch (kind) {
    case 'vendor-a/text2video':
    case 'vendor-a/omni-video':
      return turn < 5 ? emptied('shots', 'shot_type') : row.shots === '' ? emptied('shot_type') : row;
    case 'vendor-b/avatar': {
      const face = turn % 2 === 0 ? 'image' : 'avatar_id';
      return turn < 4 ? emptied(face, 'audio') : emptied(face, 'script', 'voice_id');
    }
    case 'vendor-c/video':
    case 'vendor-g/video': {
      if (row.model?.endsWith('t2v')) return emptied('first_frame', 'last_frame', 'driving_audio', 'reference_images');
      if (row.model?.endsWith('i2v') || turn < 3) return emptied('reference_images');
      return emptied('first_frame', 'last_frame', 'driving_audio');
    }
    case 'vendor-e/video': {
      const references = ['reference_images', 'reference_videos', 'reference_audio'];
      if (turn < 3) return emptied('first_frame', 'last_frame', ...references);
      return turn < 5 ? emptied('ratio', ...references) : emptied('ratio', 'first_frame', 'last_frame');
    }
    default:
      return row;
  }
}

function cellOf(kind: Kind, column: Column): fc.Arbitrary<string> {
  const filled = filledOf(kind, column);
  if (column.required === true) return filled;
  return fc.oneof(
    { weight: 100 - FILLED_PERCENT, arbitrary: fc.constant('') },
    { weight: FILLED_PERCENT, arbitrary: filled },
  );
}

function filledOf(kind: Kind, column: Column): fc.Arbitrary<string> {
  switch (column.type) {
    case 'text':
      return textOf(column.name, column.maxCharacters);
    case 'choice':
      return fc.constantFrom(...column.choices);
    case 'integer':
      return fc.oneof(fc.constantFrom(...edges(column, 1)), fc.integer(rangeOf(column)).map(String));
    case 'decimal':
      return fc.oneof(
        fc.constantFrom(...edges(column, 0.001)),
        fc.integer({ min: (column.min ?? 0) * 1000, max: (column.max ?? 9) * 1000 }).map((n) => String(n / 1000)),
      );
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'json':
      return jsonOf(kind, column.name);
    case 'media':
      return mediaOf(column);
    default:
      return column satisfies never;
  }
}

function rangeOf({ min, max }: { min?: number; max?: number }): { min: number; max: number } {
  return { min: min ?? -2147483648, max: max ?? Number.MAX_SAFE_INTEGER };
}

/** Both ends and what is just beyond them; for a list its members. */
function edges(column: { min?: number; max?: number; allowed?: readonly number[] }, step: number): string[] {
  const { min, max } = rangeOf(column);
  const values = column.allowed ?? [min, max, min - step, Math.min(max + step, Number.MAX_SAFE_INTEGER), 0];
  return values.map(String);
}

function textOf(name: string, maxCharacters: number | undefined): fc.Arbitrary<string> {
  const words = fc.oneof(
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constantFrom('a fox, running', 'say "go"', 'two\nlines', '=1+1', '<<<image_1>>> [Image 1] Image 1', '🦊', '{}'),
  );
  if (name === 'voice_id') return fc.constantFrom('v-amber-en', 'v-heath-ja', 'v-nobody');
  if (maxCharacters === undefined) return words;
  const long = fc
    .tuple(fc.constantFrom('x', 'é', '🦊'), fc.constantFrom(maxCharacters - 1, maxCharacters, maxCharacters + 1))
    .map(([character, length]) => character.repeat(length));
  return fc.oneof({ weight: 19, arbitrary: words }, { weight: 1, arbitrary: long });
}

function jsonOf(kind: Kind, name: string): fc.Arbitrary<string> {
  if (name === 'shots') {
    const seconds = fc.integer({ min: 0, max: kind === 'vendor-a/omni-video' ? 11 : 6 });
    const shot = fc.record({
      prompt: fc.constantFrom('a door opens', '🦊', ' x '),
      duration: fc.oneof(seconds, seconds.map(String)),
    });
    return fc.array(shot, { minLength: 1, maxLength: 7 }).map((shots) => JSON.stringify(shots));
  }
  const object = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 4,
  });
  if (name === 'elements') return fc.array(object, { maxLength: 8 }).map((list) => JSON.stringify(list));
  return object.map((value) => JSON.stringify(value));
}

function mediaOf(column: MediaColumn): fc.Arbitrary<string> {
  const { media } = column;
  const urls = { image: IMAGE_URLS, video: VIDEO_URLS, audio: AUDIO_URLS }[media.sort];
  // A field that takes URLs alone has bytes now and then, which are then refused.
  const url = fc.constantFrom(...urls);
  const bytes = fc.constantFrom(...IMAGE_DATA);
  const usual = { weight: 6, arbitrary: media.inline === 'url-only' ? url : fc.oneof(url, bytes) };
  const item = fc.oneof(usual, { weight: media.inline === 'url-only' ? 0 : 3, arbitrary: bytes });
  if (column.many !== true) return media.inline === 'bytes-only' ? bytes : item;
  return fc.oneof(
    fc.array(item, { minLength: 1, maxLength: 11 }).map((list) => JSON.stringify(list)),
    fc.array(url, { minLength: 1, maxLength: 4 }).map((list) => list.join('|')),
  );
}
