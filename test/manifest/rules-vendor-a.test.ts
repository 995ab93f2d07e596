import { describe, expect, it } from 'vitest';
import { IMAGE, shots, text } from './constraints/vendor-a.js';
import { checkText, csv } from './support.js';

describe('vendor-a warnings', () => {
  it.each([
    ['B33: sound is ignored in 4k mode', { ...text, sound: 'on', mode: '4k' }, /sound is ignored in 4k mode/],
    [
      'B32: prompt is ignored in storyboard mode',
      { ...text, shots: shots(3), shot_type: 'customize' },
      /prompt is ign/,
    ],
    [
      'B32: duration is ignored in storyboard mode',
      { duration: '5', shots: shots(3), shot_type: 'customize' },
      /duration is ignored/,
    ],
  ])('%s', async (rule, cells, says) => {
    const { warnings, problemCount } = await checkText(csv({ id: 'a', kind: 'vendor-a/text2video', ...cells }));
    expect(problemCount).toBe(0);
    expect(warnings.map(({ code, line, message }) => `${code} ${line} ${message}`)).toEqual([
      expect.stringMatching(new RegExp(`^${rule.slice(0, 3)} 2 `)),
    ]);
    expect(warnings[0]?.message).toMatch(says);
  });

  it('B31: a placeholder without its input is a warning', async () => {
    const prompt = '<<<image_1>>> and <<<image_2>>>, <<<video_1>>>, <<<element_1>>>';
    const cells = { id: 'a', kind: 'vendor-a/omni-video', images: IMAGE, first_frame: IMAGE, prompt };
    const { warnings, problemCount } = await checkText(csv(cells));
    expect(problemCount).toBe(0);
    expect(warnings.map(({ message }) => message)).toEqual([
      'prompt refers to <<<video_1>>>, the row has 0 of that sort',
      'prompt refers to <<<element_1>>>, the row has 0 of that sort',
    ]);
  });

  it('B31: placeholders count in the shots of a storyboard, and not in the prompt that it ignores', async () => {
    const shots = JSON.stringify([
      { prompt: '<<<image_1>>> leaves', duration: 3 },
      { prompt: '<<<image_2>>>', duration: 3 },
    ]);
    const cells = { id: 'a', kind: 'vendor-a/omni-video', images: IMAGE, shots, shot_type: 'customize' };
    const { warnings } = await checkText(csv({ ...cells, prompt: '<<<image_9>>>' }));
    expect(warnings.map(({ message }) => message).sort()).toEqual([
      'prompt is ignored in storyboard mode',
      'shots refers to <<<image_2>>>, the row has 1 of that sort',
    ]);
  });

  it('gives shots with their durations as numbers', async () => {
    const cells = { id: 'a', kind: 'vendor-a/text2video', shots: shots('5', 4), shot_type: 'customize' };
    const { passed } = await checkText(csv(cells));
    expect(passed[0]?.cells.shots).toEqual([
      { prompt: 'a door', duration: 5 },
      { prompt: 'a door', duration: 4 },
    ]);
  });
});
