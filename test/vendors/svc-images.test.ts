import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { adapterFor } from '../../src/kinds/index.js';
import { salvageSvcOutput } from '../../src/kinds/svc/wire.js';
import { bodyOf, jsonAnswer } from './bodies.js';
import { BYTES, URL_IMAGE } from './samples.js';

describe('svc/image (service document 1, POST /v1/images/generations)', () => {
  it('a per-megapixel model with a tier', () => {
    const cells = { model: 'svc-alpha.2-klein-4b', prompt: 'a cat', tier: 'radical_value', width: 1024, height: 768 };
    expect(bodyOf('svc/image', cells)).toEqual({
      model: 'svc-alpha.2-klein-4b',
      prompt: 'a cat',
      tier: 'radical_value',
      width: 1024,
      height: 768,
      response_format: 'url',
    });
  });

  it('the delta model with steps, expansion and seed, as base64', () => {
    const cells = { model: 'svc-delta-4', prompt: 'a sign', steps: 12, prompt_expansion: 'standard', seed: 7 };
    expect(bodyOf('svc/image', cells, {}, { responseFormat: 'b64_json' })).toEqual({
      model: 'svc-delta-4',
      prompt: 'a sign',
      steps: 12,
      prompt_expansion: 'standard',
      seed: 7,
      response_format: 'b64_json',
    });
  });

  it('the gamma model with true_cfg_scale', () => {
    const cells = {
      model: 'svc-gamma-o1-image',
      prompt: 'a',
      width: 2048,
      height: 2048,
      steps: 50,
      true_cfg_scale: 4.5,
    };
    expect(bodyOf('svc/image', cells)).toEqual({ ...cells, response_format: 'url' });
  });

  it('a cell of 0 is sent, an empty one is not', () => {
    expect(bodyOf('svc/image', { model: 'svc-gamma-o1-image', prompt: 'a', true_cfg_scale: 0, seed: 0 })).toEqual({
      model: 'svc-gamma-o1-image',
      prompt: 'a',
      true_cfg_scale: 0,
      seed: 0,
      response_format: 'url',
    });
  });
});

describe('svc/edit (service document 1, POST /v1/images/edits)', () => {
  const cells = {
    model: 'svc-alpha.2-klein-9b-edit',
    prompt: 'add a hat',
    width: 512,
    height: 512,
    tier: 'radical_speed',
  };

  it.each([
    [BYTES, 'data:image/png;base64,iVBORw0KGgo='],
    [URL_IMAGE, 'https://media.example/a.png'],
  ])('sends the source as a data URI or a URL', (image, url) => {
    expect(bodyOf('svc/edit', { ...cells, seed: 1 }, { image: [image] })).toEqual({
      ...cells,
      seed: 1,
      url,
      response_format: 'url',
    });
  });
});

describe('the generated image result (service document 1, Resources)', () => {
  const read = (body: Parameters<typeof jsonAnswer>[0]) => adapterFor('svc/image').readSubmit(jsonAnswer(body));

  it('keeps the bytes of b64_json and the revised prompt as it is', () => {
    const item = { b64_json: 'aGVsbG8=', revised_prompt: 'A  sign,\nin neon' };
    expect(read({ created: 1, data: [item], model: 'svc-delta-4' })).toEqual({
      reading: 'done',
      outputs: [{ base64: 'aGVsbG8=' }],
      facts: { revisedPrompt: 'A  sign,\nin neon' },
    });
  });

  it.each([
    ['one line', (base64: string) => base64],
    ['lines', (base64: string) => base64.replaceAll(/.{76}/g, '$&\n')],
  ])('keeps 30 MB of bytes, in %s, whole or cut', (_, written) => {
    // Full HD clips are beyond 10 MB as base64 (service document 1, POST /v1/clips/generations).
    const bytes = Buffer.alloc(30_000_000, 'seven b');
    const b64_json = written(bytes.toString('base64'));
    const outputOf = (data: JsonObject): Buffer => {
      const reading = read({ data: [data] });
      const output = reading.reading === 'done' ? reading.outputs[0] : undefined;
      return Buffer.from(output?.base64 ?? '', 'base64');
    };
    expect(outputOf({ b64_json }).equals(bytes)).toBe(true);
    expect(outputOf({ url: `data:video/mp4;base64,${b64_json}` }).equals(bytes)).toBe(true);
    const answer = Buffer.from(JSON.stringify({ data: [{ b64_json }] }));
    const cut = salvageSvcOutput(answer.subarray(0, -20_000));
    expect(cut && 'bytes' in cut && cut.bytes.length).toBeGreaterThan(29_900_000);
  });

  it('keeps the bytes beside a URL: each stands in for the other', () => {
    const both = { url: 'https://a', b64_json: 'aGVsbG8=' };
    expect(read({ data: [both] })).toMatchObject({ outputs: [{ url: 'https://a', base64: 'aGVsbG8=' }] });
    expect(read({ data: [{ ...both, b64_json: '' }] })).toMatchObject({ outputs: [{ url: 'https://a' }] });
  });

  it('keeps every item, and mentions those without data', () => {
    expect(read({ data: [{ url: 'https://a' }, null, {}, { url: 'https://b' }] })).toEqual({
      reading: 'done',
      outputs: [{ url: 'https://a' }, { url: 'https://b' }],
      facts: { warnings: ['2 items have no data'] },
    });
  });

  it('an item without url and b64_json is no result (S0)', () => {
    expect(read({ created: 1, data: [{ revised_prompt: 'x' }], model: 'm' }).reading).toBe('unreadable');
    expect(read({ created: 1, data: [], model: 'm' }).reading).toBe('unreadable');
  });

  it('does not claim a seed that JSON could not carry exactly', () => {
    const body = Buffer.from('{"seed":9007199254740993,"data":[{"url":"https://a"}]}');
    expect(adapterFor('svc/clip').readSubmit({ ...jsonAnswer({}), body })).toMatchObject({
      facts: { warnings: ['the seed is too large to be kept exactly'] },
    });
  });
});
