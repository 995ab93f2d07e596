import { describe, expect, it } from 'vitest';
import { adapterFor } from '../../src/kinds/index.js';
import { asyncAdapter, bodyOf, jsonAnswer } from './bodies.js';
import { BYTES, rowOf, URL_IMAGE, URL_VIDEO } from './samples.js';

describe('bodies (service document 2, Multi-mode video)', () => {
  it('text2video: the duration is a string', () => {
    const cells = {
      prompt: 'a fox',
      negative_prompt: 'rain',
      mode: 'pro',
      duration: 7,
      sound: 'on',
      aspect_ratio: '9:16',
    };
    expect(bodyOf('vendor-a/text2video', cells)).toEqual({
      model_name: 'vendor-a-v3',
      prompt: 'a fox',
      negative_prompt: 'rain',
      mode: 'pro',
      duration: '7',
      sound: 'on',
      aspect_ratio: '9:16',
    });
  });

  it('text2video storyboard: shots numbered by us from 1, durations as strings', () => {
    const shots = [
      { prompt: 'dawn', duration: 4 },
      { prompt: 'noon', duration: '11' },
    ];
    expect(bodyOf('vendor-a/text2video', { shot_type: 'customize', shots })).toEqual({
      model_name: 'vendor-a-v3',
      multi_shot: true,
      shot_type: 'customize',
      multi_prompt: [
        { index: 1, prompt: 'dawn', duration: '4' },
        { index: 2, prompt: 'noon', duration: '11' },
      ],
    });
  });

  it.each([
    [BYTES, 'iVBORw0KGgo='],
    [URL_IMAGE, 'https://media.example/a.png'],
  ])('image2video: a URL or raw base64 without the data: prefix (provider code 1201)', (image, sent) => {
    expect(bodyOf('vendor-a/image2video', { prompt: 'it runs', model: 'vendor-a-v3' }, { image: [image] })).toEqual({
      model_name: 'vendor-a-v3',
      image: sent,
      prompt: 'it runs',
    });
  });

  it('omni-video: references first, in the order of the column, then the frames; no sound, no callback', () => {
    const media = {
      first_frame: [URL_IMAGE],
      end_frame: [BYTES],
      images: [BYTES, URL_IMAGE],
      videos: [URL_VIDEO],
    };
    const elements = [{ unshown: 1 }];
    const callbackUrl = 'https://me.example/cb';
    expect(
      bodyOf('vendor-a/omni-video', { prompt: '<<<image_2>>>', duration: 12, elements }, media, { callbackUrl }),
    ).toEqual({
      model_name: 'vendor-a-v3-omni',
      prompt: '<<<image_2>>>',
      duration: '12',
      image_list: [
        { image_url: 'iVBORw0KGgo=' },
        { image_url: 'https://media.example/a.png' },
        { image_url: 'https://media.example/a.png', type: 'first_frame' },
        { image_url: 'iVBORw0KGgo=', type: 'end_frame' },
      ],
      video_list: [{ video_url: 'https://media.example/a.mp4' }],
      element_list: [{ unshown: 1 }],
    });
  });

  it('motion-control: no prompt, no duration', () => {
    const cells = { character_orientation: 'image', input_video_seconds: 8, mode: 'std', prompt: 'x', duration: 5 };
    expect(bodyOf('vendor-a/motion-control', cells, { image: [BYTES], video: [URL_VIDEO] })).toEqual({
      model_name: 'vendor-a-v3',
      image_url: 'iVBORw0KGgo=',
      video_url: 'https://media.example/a.mp4',
      character_orientation: 'image',
      input_video_seconds: 8,
      mode: 'std',
    });
  });

  it('callback_url goes out on text2video and image2video alone', () => {
    const callbackUrl = 'https://me.example/cb/1';
    const media = { image: [BYTES], video: [URL_VIDEO], images: [BYTES] };
    const sent = (['text2video', 'image2video', 'omni-video', 'motion-control'] as const).map(
      (task) => bodyOf(`vendor-a/${task}`, { prompt: 'x' }, media, { callbackUrl })?.callback_url,
    );
    expect(sent).toEqual([callbackUrl, callbackUrl, undefined, undefined]);
  });

  it('a driver clip that is not a URL is our defect, found before anything is sent', () => {
    expect(() => bodyOf('vendor-a/motion-control', {}, { image: [BYTES], video: [BYTES] })).toThrow(/'video'/);
    expect(() => bodyOf('vendor-a/motion-control', {}, { video: [URL_VIDEO] })).toThrow(/'image' is required/);
  });
});

describe('the submit answer', () => {
  const read = (body: Parameters<typeof jsonAnswer>[0], status = 200) =>
    adapterFor('vendor-a/image2video').readSubmit(jsonAnswer(body, status));

  it('200 with a code and no task id is refused (T7)', () => {
    expect(read({ code: 1201, message: 'image must not have a data: prefix' })).toEqual({
      reading: 'refused',
      code: '1201',
      message: 'image must not have a data: prefix',
    });
    expect(read({ code: 1303, data: {} })).toMatchObject({ reading: 'refused', code: '1303' });
  });

  it('a code is no proof beside another status, another type, or none (T9)', () => {
    expect(read({ code: 1201, message: 'x' }, 202).reading).toBe('unreadable');
    expect(read({ code: '1201', message: 'x' }).reading).toBe('unreadable');
    expect(read({ code: 0, message: 'SUCCEED', data: {} }).reading).toBe('unreadable');
    expect(read({ message: 'x' }).reading).toBe('unreadable');
    expect(read({ code: 1303, data: { task_id: 812345 } }).reading, 'a task was named').toBe('unreadable');
    expect(read({ code: 1303, data: { task_id: null } }).reading).toBe('refused');
  });

  it('a task id always wins (T8)', () => {
    expect(read({ code: 5, data: { task_id: 't' } })).toEqual({
      reading: 'created',
      handle: 't',
      warning: 'answered with provider code 5',
    });
    expect(read({ data: { task_id: 't' } })).toEqual({ reading: 'created', handle: 't' });
  });
});

describe('the poll', () => {
  it('a code other than 0 is a failed poll, not a failed job, unless the task says how it ended (2-D14)', () => {
    const failed = jsonAnswer({ code: 1303, message: 'busy', data: { task_id: 't', task_status: 'failed' } });
    expect(asyncAdapter('vendor-a/text2video').readPoll(failed)).toEqual({
      reading: 'failed',
      word: 'failed',
      message: 'busy',
    });
    const answer = jsonAnswer({ code: 1303, message: 'busy', data: { task_id: 't', task_status: 'processing' } });
    expect(asyncAdapter('vendor-a/text2video').readPoll(answer)).toEqual({
      reading: 'unreadable',
      why: 'the poll failed with provider code 1303: busy',
    });
    const data = { task_id: 't', task_status: 'succeed', task_result: { videos: [{ url: 'https://a' }] } };
    expect(asyncAdapter('vendor-a/text2video').readPoll(jsonAnswer({ code: 1303, data }))).toMatchObject({
      outputs: [{ url: 'https://a' }],
    });
    const none = jsonAnswer({ code: 1303, data: { task_id: 't', task_status: 'succeed' } });
    expect(asyncAdapter('vendor-a/text2video').readPoll(none)).toMatchObject({ reading: 'unreadable' });
  });

  it.each(['', ' ', null])('a task_status_msg of %j leaves the reason to the message beside an error code', (empty) => {
    const data = { task_id: 't', task_status: 'failed', task_status_msg: empty };
    const read = (code: number, message: string) =>
      asyncAdapter('vendor-a/text2video').readPoll(jsonAnswer({ code, message, data }));
    expect(read(1301, 'content policy violation')).toMatchObject({ message: 'content policy violation' });
    expect(read(0, 'SUCCEED')).toMatchObject({ message: 'no reason given' });
  });

  it.each([0, '0', null, undefined])('code %j is success: the film of an ended task is fetched', (code) => {
    const videos = [{ url: 'https://a' }];
    const answer = jsonAnswer({ code, data: { task_status: 'succeed', task_result: { videos } } } as never);
    expect(asyncAdapter('vendor-a/text2video').readPoll(answer)).toMatchObject({ outputs: [{ url: 'https://a' }] });
  });

  it('a task is polled under its own capability', () => {
    const paths = (['text2video', 'image2video', 'omni-video', 'motion-control'] as const).map(
      (task) => asyncAdapter(`vendor-a/${task}`).pollRequest('t 1', rowOf(`vendor-a/${task}`, {})).path,
    );
    expect(paths).toEqual([
      '/v1/vendor-a/videos/text2video/t%201',
      '/v1/vendor-a/videos/image2video/t%201',
      '/v1/vendor-a/videos/omni-video/t%201',
      '/v1/vendor-a/videos/motion-control/t%201',
    ]);
  });

  it('a duration that is no number is left out', () => {
    const videos = [{ url: 'https://a', duration: 'long' }, null, { url: 'https://b', duration: 5 }];
    const answer = jsonAnswer({ code: 0, data: { task_status: 'succeed', task_result: { videos } } });
    expect(asyncAdapter('vendor-a/text2video').readPoll(answer)).toEqual({
      reading: 'succeeded',
      outputs: [{ url: 'https://a' }, { url: 'https://b', durationSeconds: 5 }],
      facts: {},
    });
  });
});
