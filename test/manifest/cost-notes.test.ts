import { describe, expect, it } from 'vitest';
import type { Kind } from '../../src/domain/kind.js';
import { type Cells, checkText, csv } from './support.js';

/** What a row leaves to a default that costs more than need be is said in the plan, and nothing else is. */
async function notesOf(kind: Kind, cells: Cells): Promise<string[]> {
  const { printed, costNotes } = await checkText(csv({ id: 'a', kind, ...cells }));
  expect(printed).toEqual([]);
  return costNotes.map(({ note }) => note);
}

const PICTURE = 'https://media.example/a.png';
const c3 = { model: 'vendor-c-3.0-video', prompt: 'a fox' };
const g11 = { model: 'vendor-g-1.1-t2v', prompt: 'a fox' };
const film = { model: 'vendor-f-3.1-generate-preview', prompt: 'a fox' };
const omni = { prompt: 'a fox', duration: '5' };
const pictures = (count: number): string => Array.from({ length: count }, (_, at) => `${PICTURE}?${at}`).join('|');

const cases: { rule: string; kind: Kind; costly: Cells; says: string[]; thrifty: Cells }[] = [
  {
    rule: 'delta without steps runs 48, billed as Quality (service document 1, POST /v1/images/generations)',
    kind: 'svc/image',
    costly: { model: 'svc-delta-4', prompt: 'a fox' },
    says: ['delta without steps runs 48 steps, billed as Quality; 12 is Turbo, 20 is Balanced'],
    thrifty: { model: 'svc-delta-4', prompt: 'a fox', steps: '12' },
  },
  {
    rule: 'clips without a size are 1080p (service document 1, POST /v1/video/generations)',
    kind: 'svc/clip',
    costly: { model: 'svc-epsilon-2.5-video', prompt: 'a fox' },
    says: ['without width and height the clip is 1920x1080, which costs more per second than 1280x720'],
    thrifty: { model: 'svc-epsilon-2.5-video', prompt: 'a fox', width: '1280', height: '720' },
  },
  {
    rule: 'vendor-c and vendor-g without a resolution render 1080P (service document 2, Shared route)',
    kind: 'vendor-c/video',
    costly: c3,
    says: ['without resolution 1080P is rendered, the most expensive tier'],
    thrifty: { ...c3, resolution: '480P' },
  },
  {
    rule: 'vendor-g without watermark=false has a mark (service document 2, Shared route)',
    kind: 'vendor-g/video',
    costly: g11,
    says: [
      'without resolution 1080P is rendered, the most expensive tier',
      'without watermark=false vendor-g puts its mark on the clip',
    ],
    thrifty: { ...g11, resolution: '480P', watermark: 'false' },
  },
  {
    rule: 'vendor-d without audio has sound (service document 2, vendor-d submit body)',
    kind: 'vendor-d/video',
    costly: { prompt: 'a fox' },
    says: ['without audio=false the clip has sound, which changes the rate'],
    thrifty: { prompt: 'a fox', audio: 'false' },
  },
  {
    rule: 'vendor-e with more than five reference images pays for each further one (service document 2, Limits)',
    kind: 'vendor-e/video',
    costly: { ...omni, reference_images: pictures(6) },
    says: ['more than 5 reference images add a charge for each further one'],
    thrifty: { ...omni, reference_images: pictures(5) },
  },
  {
    rule: 'vendor-f without a duration renders 8 seconds (service document 2, vendor-f submit body)',
    kind: 'vendor-f/video',
    costly: film,
    says: ['without duration 8 seconds are rendered, the longest; 4 and 6 cost less'],
    thrifty: { ...film, duration: '4' },
  },
];

describe('defaults that cost more are said', () => {
  it.each(cases.map((one) => [one.rule, one] as const))('%s', async (_rule, { kind, costly, says, thrifty }) => {
    expect(await notesOf(kind, costly)).toEqual(says);
    expect(await notesOf(kind, thrifty)).toEqual([]);
  });
});
