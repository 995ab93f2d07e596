import { describe, expect, test } from 'vitest';
import { clipFacts } from '../../emulator/media/media-facts.js';
import { makeMp4 } from '../../emulator/media/media-mp4.js';
import {
  at,
  type BodyCase,
  checkCase,
  emulator,
  eventually,
  type Json,
  png,
  pngUri,
  pollUntil,
  serveFiles,
  wav,
} from './harness.js';

const SHARED = '/v1/vendor-c/services/aigc/video-generation/video-synthesis';
const D = '/v1/vendor-d/contents/generations/tasks';
const E = '/v1/vendor-e/v2/video_generation';
const E_QUERY = '/v1/vendor-e/v2/query/video_generation';
const far = (name: string): string => `https://media.example.com/${name}`;

function shared(model: string, media?: Json[], parameters?: Json): Json {
  return { model, input: { prompt: 'x', ...(media === undefined ? {} : { media }) }, parameters: parameters ?? {} };
}
const first = { type: 'first_frame', url: far('a.png') };
const last = { type: 'last_frame', url: far('b.png') };
const audio = { type: 'driving_audio', url: far('a.wav') };
const references = (count: number): Json[] =>
  Array.from({ length: count }, (_, index) => ({ type: 'reference_image', url: far(`${index}.png`) }));

describe('the shared route of vendor-c and vendor-g (service document 2)', () => {
  test('submit and poll have the documented shapes', async () => {
    const emu = await emulator();
    const submit = await emu.post(SHARED, shared('vendor-c-3.0-video', undefined, { resolution: '480P', duration: 2 }));
    expect(at(submit.json, 'output.task_status')).toBe('PENDING');
    const task = String(at(submit.json, 'output.task_id'));
    const done = await pollUntil(
      () => emu.get(`/v1/vendor-c/tasks/${task}`),
      (json) => at(json, 'output.task_status') === 'SUCCEEDED',
    );
    const file = Buffer.from(await (await fetch(String(at(done, 'output.video_url')))).arrayBuffer());
    expect(await clipFacts(file)).toMatchObject({ seconds: 2, height: 480 });
    expect(emu.truth().jobs[0]?.chargedNano).toBe(80_000_000);
  });

  test('1080P and 5 seconds where nothing is said', async () => {
    const emu = await emulator();
    await emu.post(SHARED, { model: 'vendor-g-1.0-t2v', input: { prompt: 'x' } });
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    expect(emu.truth().jobs[0]).toMatchObject({ kind: 'vendor-g/video', chargedNano: 800_000_000 });
  });

  test('a failed job shows output.code and output.message; CANCELED is a terminal word', async () => {
    const emu = await emulator();
    emu.setFaults([
      { match: { route: 'vendor-g.submit' }, action: { do: 'end-job', as: 'cancelled', message: 'stopped' } },
    ]);
    const submit = await emu.post(SHARED, shared('vendor-g-1.1-t2v'));
    const done = await pollUntil(
      () => emu.get(`/v1/vendor-c/tasks/${String(at(submit.json, 'output.task_id'))}`),
      (json) => at(json, 'output.task_status') === 'CANCELED',
    );
    expect(at(done, 'output')).toMatchObject({ code: 'InternalError', message: 'stopped' });
    expect(at(done, 'output.video_url')).toBeUndefined();
  });

  test('task id and URL expire after 24 hours', async () => {
    const emu = await emulator({ speed: 1_000_000 });
    const submit = await emu.post(SHARED, shared('vendor-c-3.0-video'));
    await eventually(
      async () => (await emu.get(`/v1/vendor-c/tasks/${String(at(submit.json, 'output.task_id'))}`)).status === 404,
    );
  });

  test('a refused submit carries code, message and request_id, also where the refusal is a general one', async () => {
    const emu = await emulator({ balanceCredits: '0.01' });
    const invalid = await emu.post(SHARED, { model: 'vendor-x' });
    expect(invalid.status).toBe(400);
    expect(Object.keys(invalid.json).sort()).toEqual(['code', 'message', 'request_id']);
    const poor = await emu.post(SHARED, shared('vendor-c-3.0-video'));
    expect(poor.status).toBe(402);
    expect(poor.json).toMatchObject({ code: 'insufficient_credits', error: { code: 'insufficient_credits' } });
  });

  test('every rule has its refusal', async () => {
    const emu = await emulator({
      plan: 'enterprise',
      balanceCredits: '1000',
      renderSeconds: { 'vendor-c': [1, 1], 'vendor-g': [1, 1] },
    });
    const rows: [what: string, body: Json, status: number, says?: RegExp][] = [
      ['no input', { model: 'vendor-c-3.0-video' }, 400, /input/],
      ['no prompt', { model: 'vendor-c-3.0-video', input: {} }, 400, /input\.prompt/],
      ['3.0 takes 480P and 30 s', shared('vendor-c-3.0-video', [], { resolution: '480P', duration: 30 }), 200],
      ['prime takes 10 references', shared('vendor-c-3.0-video-prime', references(10)), 200],
      ['31 s', shared('vendor-c-3.0-video', [], { duration: 31 }), 400, /30/],
      ['1 s', shared('vendor-c-3.0-video', [], { duration: 1 }), 400, /duration/],
      ['a fraction', shared('vendor-c-3.0-video', [], { duration: 2.5 }), 400, /integer/],
      ['a string', shared('vendor-c-3.0-video', [], { duration: '5' }), 400, /integer/],
      ['lower-case resolution', shared('vendor-c-3.0-video', [], { resolution: '720p' }), 400, /resolution/],
      ['2.7 has no 480P', shared('vendor-c-2.7-t2v', [], { resolution: '480P' }), 400, /resolution/],
      ['2.7 ends at 15 s', shared('vendor-c-2.7-t2v', [], { duration: 16 }), 400, /duration/],
      ['2.7 i2v with last frame and track', shared('vendor-c-2.7-i2v', [first, last, audio]), 200],
      ['3.0 takes no track', shared('vendor-c-3.0-video', [first, audio]), 400, /driving_audio/],
      ['t2v with media', shared('vendor-c-2.7-t2v', [first]), 400, /no media/],
      ['i2v without a frame', shared('vendor-c-2.7-i2v'), 400, /first_frame/],
      ['r2v without references', shared('vendor-c-2.7-r2v'), 400, /reference_image/],
      ['2.7 r2v with 5', shared('vendor-c-2.7-r2v', references(5)), 200],
      ['2.7 r2v with 6', shared('vendor-c-2.7-r2v', references(6)), 400, /up to 5/],
      ['3.0 with 11', shared('vendor-c-3.0-video', references(11)), 400, /up to 10/],
      ['frame and references', shared('vendor-c-3.0-video', [first, ...references(1)]), 400, /same body/],
      ['two first frames', shared('vendor-c-3.0-video', [first, first]), 400, /Only one/],
      ['g takes a first frame', shared('vendor-g-1.1-i2v', [first], { resolution: '480P' }), 200],
      ['g takes no end frame', shared('vendor-g-1.1-i2v', [first, last]), 400, /first frame only/],
      ['g takes no track', shared('vendor-g-1.1-i2v', [first, audio]), 400, /driving_audio/],
      ['g 1.0 has no 480P', shared('vendor-g-1.0-t2v', [], { resolution: '480P' }), 400, /resolution/],
      ['g begins at 3 s', shared('vendor-g-1.0-t2v', [], { duration: 2 }), 400, /duration/],
      ['g r2v with 9', shared('vendor-g-1.0-r2v', references(9)), 200],
      ['g r2v with 10', shared('vendor-g-1.0-r2v', references(10)), 400, /up to 9/],
      ['another media type', shared('vendor-c-3.0-video', [{ type: 'video', url: far('a.mp4') }]), 400, /type/],
      [
        'a data URI',
        shared('vendor-c-3.0-video', [{ type: 'first_frame', url: 'data:image/png;base64,AAAA' }]),
        400,
        /URL/,
      ],
      ['watermark of a wrong type', shared('vendor-c-3.0-video', [], { watermark: 'no' }), 400, /watermark/],
    ];
    for (const [what, body, status, says] of rows) {
      const reply = await emu.post(SHARED, body);
      expect(reply.status, `${what}: ${reply.text}`).toBe(status);
      if (says !== undefined) expect(reply.text, what).toMatch(says);
    }
  });

  test.each([
    ['vendor-c-3.0-video', 'reference_image', 239, 300, 'each side'],
    ['vendor-c-3.0-video', 'reference_image', 1930, 240, 'shape'],
    ['vendor-g-1.1-i2v', 'first_frame', 299, 300, 'each side'],
    ['vendor-g-1.1-i2v', 'first_frame', 300, 760, 'shape'],
    ['vendor-g-1.1-r2v', 'reference_image', 399, 500, 'each side'],
  ])(
    '%s refuses a %s of %ix%i after acceptance (service document 2, Limits)',
    async (model, type, width, height, says) => {
      const files = await serveFiles({ '/a.png': await png(width, height) });
      const emu = await emulator();
      const submit = await emu.post(SHARED, shared(model, [{ type, url: `${files}/a.png` }]));
      const done = await pollUntil(
        () => emu.get(`/v1/vendor-c/tasks/${String(at(submit.json, 'output.task_id'))}`),
        (json) => at(json, 'output.task_status') === 'FAILED',
      );
      expect(at(done, 'output.code')).toBe('InvalidParameter');
      expect(at(done, 'output.message')).toContain(says);
      expect(emu.truth().jobs[0]?.chargedNano).toBe(0);
    },
  );

  test('2-D8: "Reference image limits" bind references of vendor-c, not its frames (service document 2, Limits)', async () => {
    const files = await serveFiles({ '/a.png': await png(100, 120) });
    const emu = await emulator();
    const frames = ['first_frame', 'last_frame'].map((type) => ({ type, url: `${files}/a.png` }));
    await emu.post(SHARED, shared('vendor-c-3.0-video', frames));
    await eventually(() => emu.truth().jobs[0]?.terminalMs !== undefined);
    expect(emu.truth().jobs[0]?.state).toBe('succeeded');
  });
});

describe('vendor-d (service document 2)', () => {
  const body: Json = { model: 'vendor-d-2-5-260628', content: [{ type: 'text', text: 'a lake' }] };
  const image = (change: Json): Json => ({
    type: 'image_url',
    role: 'first_frame',
    image_url: { url: far('a.png') },
    ...change,
  });

  test('the handle starts with cgt-, the tokens used are billed at completion, the audio flag changes the rate', async () => {
    const emu = await emulator();
    const submit = await emu.post(D, body);
    const id = String(submit.json.id);
    expect(id).toMatch(/^cgt-/);
    const done = await pollUntil(
      () => emu.get(`${D}/${id}`),
      (json) => json.status === 'succeeded',
    );
    expect(at(done, 'usage.completion_tokens')).toBe(108_000);
    expect((await fetch(String(at(done, 'content.video_url')))).status).toBe(200);
    await emu.post(D, { ...body, generate_audio: false });
    await eventually(() => emu.truth().jobs.every((job) => job.state === 'succeeded'));
    const { jobs, account } = emu.truth();
    expect(jobs.map((job) => job.chargedNano)).toEqual([432_000_000, 270_000_000]);
    const charged = account.money.filter((event) => event.kind === 'charge').map((event) => event.atMs);
    expect(charged).toEqual(jobs.map((job) => job.terminalMs));
  });

  test.each(['failed', 'cancelled', 'expired'] as const)('a task that ends as %s has an error', async (word) => {
    const emu = await emulator();
    emu.setFaults([{ match: { route: 'vendor-d.submit' }, action: { do: 'end-job', as: word } }]);
    const submit = await emu.post(D, body);
    const done = await pollUntil(
      () => emu.get(`${D}/${String(submit.json.id)}`),
      (json) => json.status === word,
    );
    expect(at(done, 'error.message')).toBeTypeOf('string');
    expect(done).not.toHaveProperty('usage');
  });

  test('every rule has its refusal', async () => {
    const emu = await emulator({ plan: 'enterprise', renderSeconds: { 'vendor-d': [1, 1] } });
    const rows: BodyCase[] = [
      ['text alone', {}, 200],
      ['another model', { model: 'vendor-d-1' }, 400, /model/],
      ['no content', { content: undefined }, 400, /content/],
      ['an empty content', { content: [] }, 400, /content/],
      ['the image first', { content: [image({}), { type: 'text', text: 'x' }] }, 400, /text item/],
      ['text without text', { content: [{ type: 'text' }] }, 400, /text/],
      ['text and first frame', { content: [{ type: 'text', text: 'x' }, image({})] }, 200],
      ['another role', { content: [{ type: 'text', text: 'x' }, image({ role: 'last_frame' })] }, 400, /role/],
      ['no URL', { content: [{ type: 'text', text: 'x' }, image({ image_url: {} })] }, 400, /url/],
      [
        'a data URI',
        { content: [{ type: 'text', text: 'x' }, image({ image_url: { url: 'data:image/png;base64,AAAA' } })] },
        400,
        /URL/,
      ],
      ['480p', { resolution: '480p' }, 200],
      ['1080p', { resolution: '1080p' }, 400, /resolution/],
      ['generate_audio of a wrong type', { generate_audio: 'no' }, 400, /generate_audio/],
    ];
    for (const row of rows) await checkCase(emu, D, body, row);
  });

  test('a frame outside the limits fails the task', async () => {
    const files = await serveFiles({ '/narrow.png': await png(300, 800) });
    const emu = await emulator();
    const content = [{ type: 'text', text: 'x' }, image({ image_url: { url: `${files}/narrow.png` } })];
    const submit = await emu.post(D, { ...body, content });
    const done = await pollUntil(
      () => emu.get(`${D}/${String(submit.json.id)}`),
      (json) => json.status === 'failed',
    );
    expect(at(done, 'error.message')).toContain('shape');
  });
});

describe('vendor-e (service document 2)', () => {
  const text = { type: 'text', text: 'a lighthouse' };
  const body: Json = { model: 'Vendor-E-H3', content: [text], duration: 4, ratio: '16:9', resolution: '768P' };
  const item = (type: string, role: string | undefined, url = far('a')): Json => ({
    type,
    ...(role === undefined ? {} : { role }),
    [type]: { url },
  });
  const withItems = (...items: Json[]): Json => ({ content: [text, ...items], ratio: undefined });

  test('submit, poll, usage; a later poll returns a fresh URL', async () => {
    const emu = await emulator({ speed: 4000 });
    const submit = await emu.post(E, body);
    const task = String(submit.json.task_id);
    const done = await pollUntil(
      () => emu.get(`${E_QUERY}/${task}`),
      (json) => at(json, 'task.status') === 'succeeded',
    );
    const url = String(at(done, 'task.content.url'));
    expect(at(done, 'task.usage')).toEqual({ output_seconds: 4, reference_video_seconds: 0, billed_image_count: 0 });
    await eventually(async () => (await fetch(url)).status === 403);
    const fresh = String(at((await emu.get(`${E_QUERY}/${task}`)).json, 'task.content.url'));
    expect(fresh).not.toBe(url);
    expect((await fetch(fresh)).status).toBe(200);
  });

  test('reference video is billed per second at the output rate, images above the fifth add a charge', async () => {
    const clip = await makeMp4({ width: 480, height: 480, frames: 72, audio: false });
    const files = await serveFiles({ '/a.mp4': clip });
    const emu = await emulator();
    const images = Array.from({ length: 7 }, (_, index) => item('image_url', 'reference_image', far(`${index}.png`)));
    await emu.post(E, { ...body, ...withItems(...images, item('video_url', 'reference_video', `${files}/a.mp4`)) });
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    // 4 s and 3 s at 0.06, two images at 0.02.
    expect(emu.truth().jobs[0]?.chargedNano).toBe(460_000_000);
  });

  test('every rule has its refusal', async () => {
    const emu = await emulator({ plan: 'enterprise', balanceCredits: '1000', renderSeconds: { 'vendor-e': [1, 1] } });
    const many = (count: number): Json[] => Array.from({ length: count }, () => item('image_url', 'reference_image'));
    const rows: BodyCase[] = [
      ['text alone', {}, 200],
      ['another model', { model: 'vendor-e-h3' }, 400, /model/],
      ['no ratio on text alone', { ratio: undefined }, 400, /ratio/],
      ['adaptive on text alone', { ratio: 'adaptive' }, 400, /ratio/],
      ['ratio 21:9', { ratio: '21:9' }, 200],
      ['no duration', { duration: undefined }, 400, /duration/],
      ['3 s', { duration: 3 }, 400, /duration/],
      ['15 s', { duration: 15 }, 200],
      ['16 s', { duration: 16 }, 400, /duration/],
      ['2K', { resolution: '2K' }, 200],
      ['1080P', { resolution: '1080P' }, 400, /resolution/],
      ['text of 7000', { content: [{ type: 'text', text: 'p'.repeat(7000) }] }, 200],
      ['text of 7001', { content: [{ type: 'text', text: 'p'.repeat(7001) }] }, 400, /7001/],
      ['no text first', { content: [item('image_url', 'first_frame')] }, 400, /text item/],
      ['a first frame', withItems(item('image_url', 'first_frame')), 200],
      ['both frames', withItems(item('image_url', 'first_frame'), item('image_url', 'last_frame')), 200],
      [
        'two first frames',
        withItems(item('image_url', 'first_frame'), item('image_url', 'first_frame')),
        400,
        /At most 1/,
      ],
      [
        'frames and references',
        withItems(item('image_url', 'first_frame'), item('image_url', 'reference_image')),
        400,
        /mixed/,
      ],
      ['9 reference images', withItems(...many(9)), 200],
      ['10 reference images', withItems(...many(10)), 400, /At most 9/],
      ['3 clips', withItems(...Array.from({ length: 3 }, () => item('video_url', 'reference_video'))), 200],
      [
        '4 clips',
        withItems(...Array.from({ length: 4 }, () => item('video_url', 'reference_video'))),
        400,
        /At most 3/,
      ],
      [
        '2 tracks',
        withItems(item('audio_url', 'reference_audio'), item('audio_url', 'reference_audio')),
        400,
        /At most 1/,
      ],
      ['13 files', withItems(...many(9), ...Array.from({ length: 4 }, () => item('audio_url', undefined))), 400, /12/],
      ['a role on the wrong container is accepted silently', withItems(item('video_url', 'reference_image')), 200],
      ['an unknown role', withItems(item('image_url', 'frame')), 400, /role/],
      [
        'a missing container',
        withItems({ type: 'image_url', role: 'first_frame', video_url: { url: far('a') } }),
        400,
        /image_url/,
      ],
      ['an inline image', withItems(item('image_url', 'first_frame', await pngUri(256, 300))), 200],
      [
        'an inline image that is too small',
        withItems(item('image_url', 'first_frame', await pngUri(255, 300))),
        400,
        /255/,
      ],
      [
        'an inline image that is too large',
        withItems(item('image_url', 'first_frame', await pngUri(300, 5761))),
        400,
        /5760/,
      ],
      [
        'an inline track that is too short',
        withItems(item('audio_url', 'reference_audio', `data:audio/wav;base64,${wav(1).toString('base64')}`)),
        400,
        /lasts/,
      ],
    ];
    for (const row of rows) await checkCase(emu, E, body, row);
  });

  test('a file by URL outside the limits is refused after acceptance', async () => {
    const clip = await makeMp4({ width: 480, height: 480, frames: 24 * 8, audio: false });
    const files = await serveFiles({ '/a.png': await png(200, 300), '/a.mp4': clip });
    const emu = await emulator();
    const small = await emu.post(E, { ...body, ...withItems(item('image_url', 'first_frame', `${files}/a.png`)) });
    const clips = [1, 2].map(() => item('video_url', 'reference_video', `${files}/a.mp4`));
    const many = await emu.post(E, { ...body, ...withItems(...clips) });
    for (const submit of [small, many]) {
      expect(submit.status).toBe(200);
      const done = await pollUntil(
        () => emu.get(`${E_QUERY}/${String(submit.json.task_id)}`),
        (json) => at(json, 'task.status') === 'failed',
      );
      expect(at(done, 'task.error.message')).toBeTypeOf('string');
    }
  });
});
