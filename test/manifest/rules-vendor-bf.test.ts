import { describe, expect, it } from 'vitest';
import { spoken } from './constraints/vendor-b-and-f.js';
import { checkText, csv } from './support.js';

describe('known voices', () => {
  it('B42: an unknown voice_id is a problem when the voices are known', async () => {
    const row = { id: 'a', kind: 'vendor-b/avatar', ...spoken };
    const known = await checkText(csv(row), { voices: async () => new Set(['v1']) });
    expect(known.printed).toEqual([]);
    const unknown = await checkText(csv(row), { voices: async () => new Set(['anna', 'bert']) });
    expect(unknown.printed).toEqual([
      "<stdin>:2:5: B42 unknown voice_id 'v1'; `callsheet voices` lists those of the account",
    ]);
    const near = await checkText(csv({ ...row, voice_id: 'ana' }), { voices: async () => new Set(['anna', 'bert']) });
    expect(near.printed[0]).toContain("unknown voice_id 'ana'; did you mean 'anna'?");
  });

  it('B42: nothing is said when the voices cannot be known, and nobody asks for them without need', async () => {
    const asked: string[] = [];
    const voices = async (named: string): Promise<undefined> => {
      asked.push(named);
    };
    const image = { id: 'b', kind: 'svc/image', model: 'svc-delta-4', prompt: 'a fox' };
    expect((await checkText(csv(image), { voices })).printed).toEqual([]);
    expect(asked).toEqual([]);
    expect((await checkText(csv({ id: 'a', kind: 'vendor-b/avatar', ...spoken }), { voices })).printed).toEqual([]);
    expect(asked).toEqual(['v1']);
  });
});

describe('the canvas of a photo', () => {
  it('B63: auto does not read a photo, which is a warning; it follows a catalog avatar', async () => {
    const speech = { kind: 'vendor-b/avatar', script: 'Hello', voice_id: 'v1', aspect_ratio: 'auto' };
    const photo = await checkText(csv({ id: 'a', ...speech, image: 'https://media.example/a.png' }));
    expect([photo.problemCount, photo.warnings.map(({ code, column }) => [code, column])]).toEqual([0, [['B63', 5]]]);
    const catalog = await checkText(csv({ id: 'a', ...speech, avatar_id: 'anna' }));
    expect(catalog.warnings).toEqual([]);
  });
});
