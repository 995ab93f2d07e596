import { readFile } from 'node:fs/promises';
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
  pollUntil,
  serve,
  serveFiles,
} from './harness.js';

const VIDEOS = '/v1/vendor-a/videos';
const TEXT: Json = { prompt: 'a kite' };
const OMNI: Json = { prompt: 'x', image_list: [{ image_url: 'https://media.example.com/a.png' }] };
const MOTION: Json = {
  image_url: 'https://media.example.com/a.png',
  video_url: 'https://media.example.com/a.mp4',
  character_orientation: 'image',
  input_video_seconds: 5,
};

function shots(...seconds: number[]): Json {
  const list = seconds.map((duration, index) => ({ index: index + 1, prompt: 'x', duration: String(duration) }));
  return { multi_shot: true, shot_type: 'customize', multi_prompt: list };
}

const long = (length: number): string => 'p'.repeat(length);

describe('multi-mode video (service document 2, "Multi-mode video task")', () => {
  test('submit and poll share one shape; the duration is a string', async () => {
    const emu = await emulator();
    const submit = await emu.post(`${VIDEOS}/text2video`, {
      ...TEXT,
      duration: '3',
      aspect_ratio: '9:16',
      sound: 'on',
    });
    expect(submit.json).toMatchObject({ code: 0, data: { task_status: 'submitted' } });
    const task = String(at(submit.json, 'data.task_id'));
    const done = await pollUntil(
      () => emu.get(`${VIDEOS}/text2video/${task}`),
      (json) => at(json, 'data.task_status') === 'succeed',
    );
    expect(done).toMatchObject({ code: 0, message: 'SUCCEED', data: { task_id: task } });
    expect(at(done, 'data.task_result.videos.0.duration')).toBe('3');
    const file = Buffer.from(await (await fetch(String(at(done, 'data.task_result.videos.0.url')))).arrayBuffer());
    expect(await clipFacts(file)).toEqual({ format: 'mp4', seconds: 3, width: 720, height: 1280 });
    expect(file.includes('mp4a')).toBe(true);
  });

  test('a task polled under another capability is 404', async () => {
    const emu = await emulator();
    const task = String(at((await emu.post(`${VIDEOS}/text2video`, TEXT)).json, 'data.task_id'));
    for (const capability of ['image2video', 'omni-video', 'motion-control', 'other']) {
      expect((await emu.get(`${VIDEOS}/${capability}/${task}`)).status, capability).toBe(404);
    }
    expect((await emu.get(`${VIDEOS}/text2video/${task}`)).status).toBe(200);
  });

  test('a failed task says why in task_status_msg and is not charged', async () => {
    const emu = await emulator({ failRate: 1 });
    const task = String(at((await emu.post(`${VIDEOS}/text2video`, TEXT)).json, 'data.task_id'));
    const done = await pollUntil(
      () => emu.get(`${VIDEOS}/text2video/${task}`),
      (json) => at(json, 'data.task_status') === 'failed',
    );
    expect(at(done, 'data.task_status_msg')).toBeTypeOf('string');
    expect(emu.truth().account.balance.now).toBe('100');
  });

  test('the handle expires after 7 days', async () => {
    const emu = await emulator({ speed: 2_000_000 });
    const task = String(at((await emu.post(`${VIDEOS}/text2video`, TEXT)).json, 'data.task_id'));
    await eventually(async () => (await emu.get(`${VIDEOS}/text2video/${task}`)).status === 404);
  });

  test('every rule of text-to-video has its refusal', async () => {
    const emu = await emulator({ plan: 'enterprise', renderSeconds: { 'vendor-a': [1, 1] } });
    const rows: BodyCase[] = [
      ['defaults', {}, 200],
      ['no prompt', { prompt: undefined }, 400, /prompt/],
      ['prompt of 2500', { prompt: long(2500) }, 200],
      ['prompt of 2501', { prompt: long(2501) }, 400, /2501/],
      ['negative_prompt of 2501', { negative_prompt: long(2501) }, 400, /2501/],
      ['duration 3', { duration: '3' }, 200],
      ['duration 15', { duration: '15' }, 200],
      ['duration 2', { duration: '2' }, 400, /duration/],
      ['duration 16', { duration: '16' }, 400, /duration/],
      ['duration as a number', { duration: 5 }, 400, /string/],
      ['duration 5.5', { duration: '5.5' }, 400, /duration/],
      ['mode 4k', { mode: '4k' }, 200],
      ['another mode', { mode: 'ultra' }, 400, /mode/],
      ['sound of a wrong type', { sound: true }, 400, /sound/],
      ['another ratio', { aspect_ratio: '4:3' }, 400, /aspect_ratio/],
      ['the omni model', { model_name: 'vendor-a-v3-omni' }, 400, /model_name/],
      ['callback_url that is none', { callback_url: 'here' }, 400, /callback_url/],
      ['six shots of 15 s in all', shots(1, 2, 3, 4, 4, 1), 200],
      ['seven shots', shots(1, 1, 1, 1, 1, 1, 1), 400, /at most 6/],
      ['16 s in all', shots(10, 6), 400, /at most 15/],
      ['a shot of 0 s', shots(0), 400, /duration/],
      ['no shots', shots(), 400, /multi_prompt/],
      ['no shot_type', { ...shots(5), shot_type: undefined }, 400, /shot_type/],
      ['another shot_type', { ...shots(5), shot_type: 'auto' }, 400, /shot_type/],
      ['an index gap', { ...shots(5), multi_prompt: [{ index: 2, prompt: 'x', duration: '5' }] }, 400, /sequential/],
      ['an empty shot prompt', { ...shots(5), multi_prompt: [{ index: 1, prompt: '', duration: '5' }] }, 400, /prompt/],
      [
        'shot seconds as a number',
        { ...shots(5), multi_prompt: [{ index: 1, prompt: 'x', duration: 5 }] },
        400,
        /string/,
      ],
      ['top-level prompt and duration are ignored', { ...shots(5), prompt: long(3000), duration: '99' }, 200],
    ];
    for (const row of rows) await checkCase(emu, `${VIDEOS}/text2video`, TEXT, row);
    expect(emu.truth().jobs).toHaveLength(rows.filter((row) => row[2] === 200).length);
  });

  test('every rule of image-to-video has its refusal; a data: prefix is provider code 1201', async () => {
    const emu = await emulator({ plan: 'enterprise', renderSeconds: { 'vendor-a': [1, 1] } });
    const raw = (await png(32, 64)).toString('base64');
    const rows: BodyCase[] = [
      ['raw base64', {}, 200, /"code":0/],
      ['a URL', { image: 'https://media.example.com/a.png' }, 200, /"code":0/],
      ['no image', { image: undefined }, 400, /image/],
      ['neither', { image: '!!!' }, 400, /image/],
      ['base64 of no image', { image: Buffer.from('hello there').toString('base64') }, 400, /image/],
      ['a data: prefix', { image: `data:image/png;base64,${raw}` }, 200, /"code":1201/],
      ['aspect_ratio', { aspect_ratio: '16:9' }, 400, /aspect_ratio/],
      ['storyboard', shots(5), 400, /multi_shot/],
    ];
    for (const row of rows) await checkCase(emu, `${VIDEOS}/image2video`, { image: raw }, row);
    expect(emu.truth().jobs).toHaveLength(2);
  });

  test('every rule of omni video has its refusal', async () => {
    const emu = await emulator({ plan: 'enterprise', renderSeconds: { 'vendor-a': [1, 1] } });
    const images = (count: number): Json[] =>
      Array.from({ length: count }, (_, index) => ({ image_url: `https://media.example.com/${index}.png` }));
    const rows: BodyCase[] = [
      ['one image', {}, 200],
      ['an element alone', { image_list: undefined, element_list: [{ name: 'cup' }] }, 200],
      ['a video alone', { image_list: [], video_list: [{ video_url: 'https://media.example.com/a.mp4' }] }, 200],
      ['no references', { image_list: undefined }, 400, /non-empty/],
      ['empty lists', { image_list: [], video_list: [], element_list: [] }, 400, /non-empty/],
      ['7 references', { image_list: images(5), element_list: [{}, {}] }, 200],
      ['8 references', { image_list: images(6), element_list: [{}, {}] }, 400, /got 8/],
      ['first_frame', { image_list: [{ image_url: 'https://media.example.com/a.png', type: 'first_frame' }] }, 200],
      ['another type', { image_list: [{ image_url: 'https://media.example.com/a.png', type: 'frame' }] }, 400, /type/],
      ['an image without URL', { image_list: [{}] }, 400, /image_url/],
      ['sound', { sound: 'on' }, 400, /sound/],
      ['negative_prompt', { negative_prompt: 'x' }, 400, /negative_prompt/],
      ['callback_url', { callback_url: 'https://example.com/' }, 400, /callback_url/],
      ['the v3 model', { model_name: 'vendor-a-v3' }, 400, /model_name/],
      ['storyboard of 30 s', shots(10, 10, 10), 200],
      ['storyboard of 31 s', shots(10, 10, 10, 1), 400, /at most 30/],
      ['a shot of 11 s', shots(11), 400, /duration/],
    ];
    for (const row of rows) await checkCase(emu, `${VIDEOS}/omni-video`, OMNI, row);
  });

  test('every rule of motion control has its refusal', async () => {
    const emu = await emulator({ plan: 'enterprise', renderSeconds: { 'vendor-a': [1, 1] } });
    const rows: BodyCase[] = [
      ['image orientation', {}, 200],
      ['pro', { mode: 'pro' }, 200],
      ['4k', { mode: '4k' }, 400, /mode/],
      ['prompt', { prompt: 'x' }, 400, /prompt/],
      ['duration', { duration: '5' }, 400, /duration/],
      ['sound', { sound: 'on' }, 400, /sound/],
      ['no seconds', { input_video_seconds: undefined }, 400, /input_video_seconds/],
      ['0 seconds', { input_video_seconds: 0 }, 400, /input_video_seconds/],
      ['10 seconds', { input_video_seconds: 10 }, 200],
      ['11 seconds', { input_video_seconds: 11 }, 400, /input_video_seconds/],
      ['seconds as a string', { input_video_seconds: '5' }, 400, /integer/],
      ['another orientation', { character_orientation: 'side' }, 400, /character_orientation/],
      ['no orientation', { character_orientation: undefined }, 400, /character_orientation/],
      ['no driver', { video_url: undefined }, 400, /video_url/],
      ['no character', { image_url: undefined }, 400, /image_url/],
      ['callback_url', { callback_url: 'https://example.com/' }, 400, /callback_url/],
    ];
    for (const row of rows) await checkCase(emu, `${VIDEOS}/motion-control`, MOTION, row);
  });

  test('an under-declared driver clip is charged afterwards; over-declaring is not refunded', async () => {
    const driver = await makeMp4({ width: 480, height: 480, frames: 24 * 6, audio: false });
    const files = await serveFiles({ '/driver.mp4': driver, '/a.png': await png(64, 64) });
    const emu = await emulator();
    const body = { ...MOTION, video_url: `${files}/driver.mp4`, image_url: `${files}/a.png` };
    await emu.post(`${VIDEOS}/motion-control`, { ...body, input_video_seconds: 4 });
    await emu.post(`${VIDEOS}/motion-control`, { ...body, input_video_seconds: 9 });
    await eventually(() => emu.truth().account.money.some((event) => event.kind === 'follow_up'));
    await eventually(() => emu.truth().jobs.every((job) => job.state === 'succeeded'));
    expect(emu.truth().jobs.map((job) => job.chargedNano)).toEqual([600_000_000, 900_000_000]);
  });

  test('2-D9: the clip of motion control follows the reference video (service document 2, "Models")', async () => {
    const driver = await makeMp4({ width: 480, height: 480, frames: 24 * 7, audio: false });
    const files = await serveFiles({ '/driver.mp4': driver, '/a.png': await png(64, 64) });
    const emu = await emulator();
    const body = { ...MOTION, video_url: `${files}/driver.mp4`, image_url: `${files}/a.png`, input_video_seconds: 4 };
    const task = String(at((await emu.post(`${VIDEOS}/motion-control`, body)).json, 'data.task_id'));
    const done = await pollUntil(
      () => emu.get(`${VIDEOS}/motion-control/${task}`),
      (json) => at(json, 'data.task_status') === 'succeed',
    );
    expect(at(done, 'data.task_result.videos.0.duration')).toBe('7');
  });

  test.each([
    ['image', 14, 'failed'],
    ['video', 14, 'succeeded'],
    ['video', 31, 'failed'],
  ])('2-D9: orientation %s with a driver of %i s: %s ("cap 10 s", "cap 30 s")', async (orientation, seconds, state) => {
    const driver = await makeMp4({ width: 480, height: 480, frames: 24 * seconds, audio: false });
    const files = await serveFiles({ '/driver.mp4': driver, '/a.png': await png(64, 64) });
    const emu = await emulator();
    const image_url = orientation === 'image' ? `${files}/a.png` : `${files}/driver.mp4`;
    const body = { ...MOTION, character_orientation: orientation, image_url, video_url: `${files}/driver.mp4` };
    await emu.post(`${VIDEOS}/motion-control`, body);
    await eventually(() => emu.truth().jobs[0]?.terminalMs !== undefined);
    expect(emu.truth().jobs[0]?.state).toBe(state);
    if (state === 'failed') expect(emu.truth().jobs[0]?.chargedNano).toBe(0);
  });

  test('media by URL are fetched by the job: what cannot be read fails it', async () => {
    const files = await serveFiles({ '/a.txt': await readFile(new URL(import.meta.url)) });
    const emu = await emulator();
    const submit = await emu.post(`${VIDEOS}/image2video`, { image: `${files}/a.txt` });
    const done = await pollUntil(
      () => emu.get(`${VIDEOS}/image2video/${String(at(submit.json, 'data.task_id'))}`),
      (json) => at(json, 'data.task_status') === 'failed',
    );
    expect(at(done, 'data.task_status_msg')).toContain('is not an image');
  });

  test('status updates are posted to callback_url (service document 1, Events)', async () => {
    const received: Json[] = [];
    const receiver = await serve((incoming, response) => {
      let text = '';
      incoming.on('data', (part) => {
        text += part;
      });
      incoming.on('end', () => {
        received.push(JSON.parse(text) as Json);
        response.writeHead(204).end();
      });
    });
    const emu = await emulator();
    const submit = await emu.post(`${VIDEOS}/text2video`, { ...TEXT, callback_url: `${receiver}/hook` });
    await eventually(() => received.some((update) => at(update, 'data.task_status') === 'succeed'));
    const task = at(submit.json, 'data.task_id');
    expect(new Set(received.map((update) => at(update, 'data.task_id')))).toEqual(new Set([task]));
    await eventually(() => (emu.truth().jobs[0]?.callbacks ?? []).length === 3);
    expect(emu.truth().jobs[0]?.callbacks?.map((update) => update.status)).toEqual([204, 204, 204]);
  });
});
