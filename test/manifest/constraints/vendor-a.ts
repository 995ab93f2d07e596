import type { Kind } from '../../../src/domain/kind.js';
import type { RuleCase } from '../support.js';

export const IMAGE = 'https://media.example/a.png';
const VIDEO = 'https://media.example/a.mp4';
export const text = { prompt: 'a boat' };
const image = { image: IMAGE };
const omni = { images: IMAGE, prompt: 'a boat' };
const motion = { image: IMAGE, video: VIDEO, character_orientation: 'image', input_video_seconds: '5' };
const place = '(service document 2, Multi-mode video)';

export function shots(...durations: (number | string)[]): string {
  return JSON.stringify(durations.map((duration) => ({ prompt: 'a door', duration })));
}

const timed: [Kind, Record<string, string>][] = [
  ['vendor-a/text2video', text],
  ['vendor-a/image2video', image],
  ['vendor-a/omni-video', omni],
];

const common: RuleCase[] = timed.flatMap(([kind, base]): RuleCase[] => [
  {
    rule: `B27: duration is 3-15, sent as a string ${place}`,
    kind,
    base,
    good: [{ duration: '3' }, { duration: '15' }, {}],
    bad: [
      { change: { duration: '2' }, code: 'B27', says: /duration must be 3-15 \(sent as a string\)/ },
      { change: { duration: '16' }, code: 'B27', says: /duration must be 3-15 \(sent as a string\)/ },
      { change: { duration: '5.5' }, code: 'B16', says: /duration must be a plain integer \(3-15/ },
    ],
  },
  {
    rule: `B58: mode is std, pro or 4k ${place}`,
    kind,
    base,
    good: [{ mode: 'std' }, { mode: 'pro' }, { mode: '4k' }],
    bad: [{ change: { mode: '4K' }, code: 'B58', says: /mode must be std, pro or 4k/ }],
  },
  {
    rule: `B26: prompt has at most 2500 characters ${place}`,
    kind,
    base,
    good: [{ prompt: 'x'.repeat(2500) }, { prompt: '🦊'.repeat(2500) }],
    bad: [
      { change: { prompt: 'x'.repeat(2501) }, code: 'B26', says: /prompt is 2501 characters, limit 2500/ },
      { change: { prompt: '🦊'.repeat(2501) }, code: 'B26', says: /prompt is 2501 characters, limit 2500/ },
    ],
  },
  {
    rule: `B13: one model per task ${place}`,
    kind,
    base,
    good: [{ model: kind === 'vendor-a/omni-video' ? 'vendor-a-v3-omni' : 'vendor-a-v3' }],
    bad: [
      {
        change: { model: kind === 'vendor-a/omni-video' ? 'vendor-a-v3' : 'vendor-a-v3-omni' },
        code: 'B13',
        says: /unknown model/,
      },
    ],
  },
]);

const textAndImage: RuleCase[] = timed.slice(0, 2).flatMap(([kind, base]): RuleCase[] => [
  {
    rule: `B26: negative_prompt has at most 2500 characters ${place}`,
    kind,
    base,
    good: [{ negative_prompt: 'x'.repeat(2500) }],
    bad: [
      {
        change: { negative_prompt: 'x'.repeat(2501) },
        code: 'B26',
        says: /negative_prompt is 2501 characters, limit 2500/,
      },
    ],
  },
  {
    rule: `B58: sound is on or off ${place}`,
    kind,
    base,
    good: [{ sound: 'on' }, { sound: 'off' }, { sound: 'on', mode: '4k' }],
    bad: [{ change: { sound: 'true' }, code: 'B58', says: /sound must be on or off, got 'true'/ }],
  },
]);

const tasks: RuleCase[] = [
  {
    rule: `B59: text2video needs a prompt unless shots ${place}`,
    kind: 'vendor-a/text2video',
    base: text,
    good: [{ prompt: '', shots: shots(3), shot_type: 'customize' }],
    bad: [
      { change: { prompt: '' }, code: 'B59', says: /prompt is required unless shots are given/ },
      { change: { prompt: '  ' }, code: 'B59', says: /only blanks/ },
    ],
  },
  {
    rule: `B58: aspect_ratio is 16:9, 9:16 or 1:1 ${place}`,
    kind: 'vendor-a/text2video',
    base: text,
    good: ['16:9', '9:16', '1:1'].map((aspect_ratio) => ({ aspect_ratio })),
    bad: [{ change: { aspect_ratio: '4:3' }, code: 'B58', says: /aspect_ratio must be 16:9, 9:16 or 1:1/ }],
  },
  {
    rule: `B59: image2video needs an image ${place}`,
    kind: 'vendor-a/image2video',
    base: image,
    bad: [{ change: { image: '' }, code: 'B59', says: /image is required/ }],
  },
  {
    rule: `B25: image2video takes no aspect_ratio and no storyboard ${place}`,
    kind: 'vendor-a/image2video',
    base: image,
    bad: ['aspect_ratio', 'shots', 'shot_type'].map((name) => ({
      change: { [name]: '1:1' },
      code: 'B25',
      says: new RegExp(`does not take '${name}'; it takes: image, prompt`),
    })),
  },
  {
    rule: `B31: omni needs 1-7 reference inputs ${place}`,
    kind: 'vendor-a/omni-video',
    base: { prompt: 'a boat' },
    good: [
      { images: IMAGE },
      { videos: VIDEO },
      { elements: '[{"id":1}]' },
      { first_frame: IMAGE },
      { end_frame: IMAGE },
      { images: Array(7).fill(IMAGE).join('|') },
      { images: Array(3).fill(IMAGE).join('|'), videos: VIDEO, elements: '[{},{}]', first_frame: IMAGE },
      { images: JSON.stringify(Array(7).fill(IMAGE)) },
    ],
    bad: [
      { change: { images: '' }, code: 'B31', says: /omni needs 1-7 reference inputs, got 0/ },
      { change: { elements: '[]' }, code: 'B31', says: /omni needs 1-7 reference inputs, got 0/ },
      { change: { images: Array(8).fill(IMAGE).join('|') }, code: 'B31', says: /1-7 reference inputs, got 8/ },
      {
        change: { images: Array(6).fill(IMAGE).join('|'), first_frame: IMAGE, end_frame: IMAGE },
        code: 'B31',
        says: /1-7 reference inputs, got 8/,
      },
      { change: { elements: '[{},1]', images: '' }, code: 'B60', says: /elements: item 2 must be a JSON object/ },
      { change: { elements: '{"id":1}' }, code: 'B60', says: /elements must be a JSON array/ },
    ],
  },
  {
    rule: `B33: sound is not for omni ${place}`,
    kind: 'vendor-a/omni-video',
    base: omni,
    bad: [{ change: { sound: 'on' }, code: 'B33', says: /sound is not for omni/ }],
  },
  {
    rule: `B25: omni takes no negative_prompt and no aspect_ratio ${place}`,
    kind: 'vendor-a/omni-video',
    base: omni,
    bad: ['negative_prompt', 'aspect_ratio'].map((name) => ({
      change: { [name]: 'x' },
      code: 'B25',
      says: new RegExp(`does not take '${name}'`),
    })),
  },
  {
    rule: `B28: motion control takes no prompt and no duration ${place}`,
    kind: 'vendor-a/motion-control',
    base: motion,
    bad: [
      { change: { prompt: 'x' }, code: 'B28', says: /motion-control does not take 'prompt'/ },
      { change: { duration: '5' }, code: 'B28', says: /motion-control does not take 'duration'/ },
    ],
  },
  {
    rule: `B28: input_video_seconds is 1-10 and required ${place}`,
    kind: 'vendor-a/motion-control',
    base: motion,
    good: [{ input_video_seconds: '1' }, { input_video_seconds: '10' }],
    bad: [
      { change: { input_video_seconds: '' }, code: 'B28', says: /input_video_seconds 1-10 is required \(under-decl/ },
      { change: { input_video_seconds: '0' }, code: 'B28', says: /input_video_seconds must be 1-10/ },
      { change: { input_video_seconds: '11' }, code: 'B28', says: /input_video_seconds must be 1-10/ },
      { change: { input_video_seconds: '4.5' }, code: 'B16', says: /plain integer \(1-10\)/ },
    ],
  },
  {
    rule: `B29: motion control modes are std and pro ${place}`,
    kind: 'vendor-a/motion-control',
    base: motion,
    good: [{ mode: 'std' }, { mode: 'pro' }],
    bad: [{ change: { mode: '4k' }, code: 'B29', says: /mode must be std or pro/ }],
  },
  {
    rule: `B59: motion control needs image, video and orientation ${place}`,
    kind: 'vendor-a/motion-control',
    base: motion,
    good: [{ character_orientation: 'video', image: VIDEO }],
    bad: [
      { change: { image: '' }, code: 'B59', says: /image is required/ },
      { change: { video: '' }, code: 'B59', says: /video is required/ },
      { change: { character_orientation: '' }, code: 'B59', says: /character_orientation is required/ },
      { change: { character_orientation: 'both' }, code: 'B58', says: /must be image or video/ },
      { change: { negative_prompt: 'x' }, code: 'B25', says: /does not take 'negative_prompt'/ },
      { change: { sound: 'on' }, code: 'B25', says: /does not take 'sound'/ },
    ],
  },
  {
    rule: `B40: the character is a video when the orientation is video ${place}`,
    kind: 'vendor-a/motion-control',
    base: motion,
    bad: [
      { change: { image: VIDEO }, code: 'B40', says: /image needs an image, the URL is MP4/ },
      { change: { image: IMAGE, character_orientation: 'video' }, code: 'B40', says: /image needs a video/ },
      { change: { video: IMAGE }, code: 'B40', says: /video needs a video, the URL is PNG/ },
    ],
  },
];

const storyboard: RuleCase[] = [
  {
    rule: `B32: text2video storyboards have up to 6 shots and 15 s ${place}`,
    kind: 'vendor-a/text2video',
    base: { shot_type: 'customize' },
    good: [
      { shots: shots(15) },
      { shots: shots(1) },
      { shots: shots(3, 3, 3, 2, 2, 2) },
      { shots: shots('5', '10') },
      { shots: shots(3), shot_type: 'intelligence' },
      // The prompt and the duration beside them are ignored.
      { shots: shots(8, 7), duration: '30' },
      { shots: shots(3), prompt: 'x'.repeat(2501) },
    ],
    bad: [
      { change: { shots: shots(8, 8) }, code: 'B32', says: /shots: at most 6 and 15 s on text2video, got 16 s/ },
      { change: { shots: shots(1, 1, 1, 1, 1, 1, 1) }, code: 'B32', says: /at most 6 and 15 s .* got 7 shots/ },
      { change: { shots: shots(16) }, code: 'B32', says: /shot 1 must be a whole number, 1-15 s/ },
      { change: { shots: shots(5, 0) }, code: 'B32', says: /shot 2 must be a whole number, 1-15 s/ },
      { change: { shots: shots(2.5) }, code: 'B32', says: /whole number/ },
      { change: { shots: shots('05') }, code: 'B32', says: /whole number/ },
      { change: { shots: '[]' }, code: 'B32', says: /shots is empty/ },
      { change: { shots: '[{"prompt":"","duration":3}]' }, code: 'B32', says: /shot 1 has an empty prompt/ },
      { change: { shots: '[{"prompt":" ","duration":3}]' }, code: 'B32', says: /shot 1 has an empty prompt/ },
      { change: { shots: '[{"duration":3}]' }, code: 'B32', says: /shot 1 has an empty prompt/ },
      { change: { shots: '[{"index":2,"prompt":"a","duration":3}]' }, code: 'B32', says: /numbered from 1 in their/ },
      { change: { shots: '[{"index":"1","prompt":"a","duration":3}]' }, code: 'B32', says: /shot 1 must be 1/ },
      { change: { shots: '[{"prompt":"a","duration":3,"mood":"b"}]' }, code: 'B32', says: /unknown field/ },
      { change: { shots: '["a"]' }, code: 'B32', says: /shot 1 must be/ },
      { change: { shots: '{"prompt":"a"}' }, code: 'B32', says: /must be a JSON array/ },
      { change: { shots: '[{' }, code: 'B32', says: /must be a JSON array/ },
      { change: { shots: shots(3), shot_type: '' }, code: 'B32', says: /shots need shot_type/ },
      {
        change: { shots: shots(3), shot_type: 'auto' },
        code: 'B32',
        says: /customize or intelligence/,
        at: 'shot_type',
      },
      { change: { prompt: 'a' }, code: 'B32', says: /shot_type needs shots/, at: 'shot_type' },
    ],
  },
  {
    rule: `B32: omni storyboards have up to 30 s, each shot 1-10 s ${place}`,
    kind: 'vendor-a/omni-video',
    base: { images: IMAGE, shot_type: 'customize' },
    good: [
      { shots: shots(10, 10, 10), duration: '30' },
      { shots: shots(1), prompt: 'x'.repeat(2501) },
      { shots: shots(1, 1, 1, 1, 1, 1, 1, 1) },
    ],
    bad: [
      { change: { shots: shots(10, 10, 10, 1) }, code: 'B32', says: /at most 30 s on omni, got 31 s/ },
      { change: { shots: shots(11) }, code: 'B32', says: /1-10 s/ },
    ],
  },
];

export const VENDOR_A_RULES: readonly RuleCase[] = [...common, ...textAndImage, ...tasks, ...storyboard];
