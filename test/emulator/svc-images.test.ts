import { createHash } from 'node:crypto';
import { imageSize } from 'image-size';
import { describe, expect, test } from 'vitest';
import { at, type BodyCase, checkCase, emulator, type Json, png, pngUri, serve, serveFiles } from './harness.js';

const PATH = '/v1/images/generations';
const ALPHA: Json = { model: 'svc-alpha.2-klein-4b', prompt: 'a cat', width: 256, height: 128 };
const DELTA: Json = { model: 'svc-delta-4', prompt: 'a sign' };
const GAMMA: Json = { model: 'svc-gamma-o1-image', prompt: 'a hall', width: 1024, height: 1024 };

function decoded(json: Json): Buffer {
  return Buffer.from(String(at(json, 'data.0.b64_json')), 'base64');
}

describe('POST /v1/images/generations (service document 1)', () => {
  test('base64 by default: a PNG of exactly the asked size, with created and model', async () => {
    const emu = await emulator();
    const { status, json } = await emu.post(PATH, ALPHA);
    expect(status).toBe(200);
    expect(json).toMatchObject({ model: 'svc-alpha.2-klein-4b' });
    expect(Number.isInteger(json.created)).toBe(true);
    expect(imageSize(decoded(json))).toMatchObject({ type: 'png', width: 256, height: 128 });
  });

  test('as a URL: the file has the bytes that the truth lists', async () => {
    const emu = await emulator();
    const { json } = await emu.post(PATH, { ...ALPHA, response_format: 'url' });
    expect(at(json, 'data.0.b64_json')).toBeUndefined();
    const file = Buffer.from(await (await fetch(String(at(json, 'data.0.url')))).arrayBuffer());
    const output = emu.truth().jobs[0]?.outputs[0];
    expect(output).toMatchObject({ bytes: file.length, sha256: createHash('sha256').update(file).digest('hex') });
  });

  test('the same seed with the same parameters gives the same result; without a seed each result is its own', async () => {
    const emu = await emulator();
    const make = async (change: Json): Promise<Buffer> => decoded((await emu.post(PATH, { ...ALPHA, ...change })).json);
    const first = await make({ seed: 7 });
    expect((await make({ seed: 7 })).equals(first)).toBe(true);
    expect((await make({ seed: 8 })).equals(first)).toBe(false);
    expect((await make({ seed: 7, prompt: 'a dog' })).equals(first)).toBe(false);
    expect((await make({})).equals(await make({}))).toBe(false);
  });

  test('8192x8192 is rendered', async () => {
    const emu = await emulator();
    const { json } = await emu.post(PATH, { ...ALPHA, width: 8192, height: 8192 });
    expect(imageSize(decoded(json))).toMatchObject({ width: 8192, height: 8192 });
  });

  test('every text-to-image model renders', async () => {
    const emu = await emulator();
    for (const model of [
      'svc-alpha.2-klein-4b',
      'svc-alpha.2-klein-9b',
      'svc-alpha.1-schnell',
      'svc-beta-image-2512',
    ]) {
      expect((await emu.post(PATH, { ...ALPHA, model })).status, model).toBe(200);
    }
    expect((await emu.post(PATH, GAMMA)).status).toBe(200);
    expect((await emu.post(PATH, DELTA)).status).toBe(200);
  });

  test('the delta model uses 1024x1024 when no dimensions are sent', async () => {
    const emu = await emulator();
    expect(imageSize(decoded((await emu.post(PATH, DELTA)).json))).toMatchObject({ width: 1024, height: 1024 });
  });

  test('prompt_expansion: the revised prompt, sent again with off and the same seed, gives the same image', async () => {
    const emu = await emulator();
    const settings = { ...DELTA, seed: 3, steps: 12, width: 1040, height: 1024 };
    const first = await emu.post(PATH, { ...settings, prompt_expansion: 'standard' });
    const revised = at(first.json, 'data.0.revised_prompt');
    expect(revised).toBeTypeOf('string');
    const again = await emu.post(PATH, { ...settings, prompt: revised, prompt_expansion: 'off' });
    expect(at(again.json, 'data.0.revised_prompt')).toBeUndefined();
    expect(decoded(again.json).equals(decoded(first.json))).toBe(true);
  });

  test('where the rewrite fails the original is rendered and revised_prompt is absent', async () => {
    const emu = await emulator({ rewriteFailRate: 1 });
    const settings = { ...DELTA, seed: 3 };
    const expanded = await emu.post(PATH, { ...settings, prompt_expansion: 'standard' });
    expect(at(expanded.json, 'data.0.revised_prompt')).toBeUndefined();
    expect(decoded(expanded.json).equals(decoded((await emu.post(PATH, settings)).json))).toBe(true);
  });

  const cases: [string, Json, BodyCase][] = [
    [
      'alpha',
      ALPHA,
      ['unknown model lists the allowed ones', { model: 'svc-x' }, 400, /"detail".*svc-alpha\.2-klein-4b/],
    ],
    ['alpha', ALPHA, ['no model', { model: undefined }, 400, /"detail"/]],
    ['alpha', ALPHA, ['no prompt', { prompt: undefined }, 400, /"detail"/]],
    ['alpha', ALPHA, ['prompt of a wrong type', { prompt: 5 }, 400, /"detail"/]],
    ['alpha', ALPHA, ['only width', { height: undefined }, 400, /together/]],
    ['alpha', ALPHA, ['only height', { width: undefined }, 400, /together/]],
    ['alpha', ALPHA, ['no dimensions', { width: undefined, height: undefined }, 400, /required/]],
    ['alpha', ALPHA, ['the string 1024 is rejected, not converted', { width: '1024' }, 400, /integer/]],
    ['alpha', ALPHA, ['a fraction', { width: 10.5 }, 400, /integer/]],
    ['alpha', ALPHA, ['width 0', { width: 0 }, 400, /1 and 8192/]],
    ['alpha', ALPHA, ['width 1', { width: 1 }, 200]],
    ['alpha', ALPHA, ['width 8192', { width: 8192, height: 1 }, 200]],
    ['alpha', ALPHA, ['width 8193', { width: 8193 }, 400, /1 and 8192/]],
    ['alpha', ALPHA, ['n 1', { n: 1 }, 200]],
    ['alpha', ALPHA, ['n 2', { n: 2 }, 400, /'n'/]],
    ['alpha', ALPHA, ['tier radical_value', { tier: 'radical_value' }, 200]],
    ['alpha', ALPHA, ['another tier', { tier: 'turbo' }, 400, /tier/]],
    ['alpha', ALPHA, ['1-E2: an unaccepted field: steps on alpha', { steps: 12 }, 400, /engine_error.*steps/]],
    ['alpha', ALPHA, ['true_cfg_scale on alpha', { true_cfg_scale: 5 }, 400, /true_cfg_scale/]],
    ['alpha', ALPHA, ['prompt_expansion on alpha', { prompt_expansion: 'off' }, 400, /prompt_expansion/]],
    ['alpha', ALPHA, ['another response format', { response_format: 'png' }, 400, /"detail"/]],
    ['alpha', ALPHA, ['seed of a wrong type', { seed: 'x' }, 400, /seed/]],
    ['delta', DELTA, ['tier on delta', { tier: 'radical_speed' }, 400, /tier/]],
    ['delta', DELTA, ['sides in steps of 16', { width: 1040, height: 2048 }, 200]],
    ['delta', DELTA, ['1030', { width: 1030, height: 1024 }, 400, /engine_error/]],
    ['delta', DELTA, ['1008', { width: 1008, height: 1024 }, 400, /engine_error/]],
    ['delta', DELTA, ['2064', { width: 1024, height: 2064 }, 400, /engine_error/]],
    ['delta', DELTA, ['steps 1', { steps: 1 }, 200]],
    ['delta', DELTA, ['steps 50', { steps: 50 }, 200]],
    ['delta', DELTA, ['steps 0', { steps: 0 }, 400, /steps/]],
    ['delta', DELTA, ['steps 51', { steps: 51 }, 400, /steps/]],
    ['delta', DELTA, ['another expansion', { prompt_expansion: 'on' }, 400, /prompt_expansion/]],
    ['delta', DELTA, ['true_cfg_scale on delta', { true_cfg_scale: 5 }, 400, /true_cfg_scale/]],
    ['gamma', GAMMA, ['a listed size', { width: 3104, height: 1312 }, 200]],
    ['gamma', GAMMA, ['a size that is not listed', { width: 1024, height: 1040 }, 400, /engine_error/]],
    ['gamma', GAMMA, ['true_cfg_scale 0', { true_cfg_scale: 0 }, 200]],
    ['gamma', GAMMA, ['true_cfg_scale 20', { true_cfg_scale: 20 }, 200]],
    ['gamma', GAMMA, ['true_cfg_scale 20.1', { true_cfg_scale: 20.1 }, 400, /true_cfg_scale/]],
    ['gamma', GAMMA, ['steps 50 on gamma', { steps: 50, tier: 'radical_value' }, 200]],
    ['gamma', GAMMA, ['no dimensions on gamma', { width: undefined, height: undefined }, 400, /required/]],
  ];
  test('every rule has its refusal, before billing (service document 1, Errors)', async () => {
    const emu = await emulator();
    const accepted = cases.filter(([, , row]) => row[2] === 200).length;
    for (const [, body, row] of cases) await checkCase(emu, PATH, body, row);
    expect(emu.truth().jobs).toHaveLength(accepted);
  });

  test('a body that is not JSON, or no object, is refused', async () => {
    const emu = await emulator();
    expect((await emu.post(PATH, '{"model":')).status).toBe(400);
    expect((await emu.post(PATH, '[1]')).status).toBe(400);
    expect((await emu.post(PATH, ALPHA, { 'x-api-key': 'sk-svc-emulator', 'content-type': 'text/plain' })).status).toBe(
      415,
    );
  });

  test('a method that a path does not have is 405, an unknown path 404', async () => {
    const emu = await emulator();
    const reply = await emu.get(PATH);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('POST');
    expect((await emu.get('/v1/nothing')).json).toEqual({ detail: 'Not Found' });
  });
});

describe('POST /v1/images/edits (service document 1)', () => {
  const path = '/v1/images/edits';
  const body = async (): Promise<Json> => ({
    model: 'svc-beta-image-edit-2511',
    url: await pngUri(64, 64),
    prompt: 'add a hat',
    width: 96,
    height: 64,
  });

  test('the output has the asked size, not that of the source', async () => {
    const emu = await emulator();
    const { status, json } = await emu.post(path, await body());
    expect(status).toBe(200);
    expect(imageSize(decoded(json))).toMatchObject({ width: 96, height: 64 });
  });

  test('every rule has its refusal', async () => {
    const emu = await emulator();
    const good = await body();
    const big = Buffer.concat([await png(64, 64), Buffer.alloc(10 * 1024 * 1024)]).toString('base64');
    const rows: BodyCase[] = [
      ['4b edit', { model: 'svc-alpha.2-klein-4b-edit' }, 200],
      ['9b edit', { model: 'svc-alpha.2-klein-9b-edit' }, 200],
      ['a generation model', { model: 'svc-alpha.2-klein-4b' }, 400, /"detail"/],
      ['no source', { url: undefined }, 400, /"detail"/],
      ['no dimensions', { width: undefined, height: undefined }, 400, /"detail"/],
      ['only width', { height: undefined }, 400, /together/],
      ['8193', { width: 8193 }, 400, /"detail"/],
      ['a side of 63 px', { url: await pngUri(63, 100) }, 400, /engine_error/],
      ['ratio 8:1', { url: await pngUri(800, 100) }, 200],
      ['ratio 8.01:1', { url: await pngUri(801, 100) }, 400, /engine_error/],
      ['ratio 1:8.01', { url: await pngUri(100, 801) }, 400, /engine_error/],
      ['more than 10 MB', { url: `data:image/png;base64,${big}` }, 400, /engine_error/],
      ['no image', { url: `data:image/png;base64,${Buffer.from('hello').toString('base64')}` }, 400, /engine_error/],
      ['a GIF', { url: 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=' }, 400, /engine_error/],
      ['broken base64', { url: 'data:image/png;base64,%%%' }, 400, /engine_error/],
      ['not a URL', { url: 'somewhere' }, 400, /engine_error/],
      ['a private address', { url: 'http://10.0.0.5/a.png' }, 400, /public/],
      ['the metadata address', { url: 'http://169.254.169.254/' }, 400, /public/],
      ['a public host is accepted unseen', { url: 'https://images.example.com/a.png' }, 200],
      ['n 2', { n: 2 }, 400, /'n'/],
    ];
    for (const row of rows) await checkCase(emu, path, good, row);
  });

  test('a URL is really fetched; redirects are not followed', async () => {
    const files = await serveFiles({ '/good.png': await png(64, 64), '/small.png': await png(10, 10) });
    const redirecting = await serve((_, response) => response.writeHead(302, { location: `${files}/good.png` }).end());
    const emu = await emulator();
    const good = await body();
    const rows: BodyCase[] = [
      ['a good file', { url: `${files}/good.png` }, 200],
      ['a file outside the limits', { url: `${files}/small.png` }, 400, /engine_error/],
      ['a file that is not there', { url: `${files}/none.png` }, 400, /engine_error/],
      ['a redirect', { url: redirecting }, 400, /engine_error/],
      ['a closed port', { url: 'http://127.0.0.1:9/a.png' }, 400, /engine_error/],
    ];
    for (const row of rows) await checkCase(emu, path, good, row);
  });
});
