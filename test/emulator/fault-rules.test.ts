import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type FaultRule, parseEmulatorFaults } from '../../emulator/emulator.js';
import { FAULT_ACTION_NAMES } from '../../emulator/faults/fault-actions.js';
import { emulator } from './harness.js';

async function statuses(rules: FaultRule[], count: number, seed = 1): Promise<number[]> {
  const emu = await emulator({ faults: rules, seed });
  const list: number[] = [];
  for (let index = 0; index < count; index += 1) list.push((await emu.get('/v1/credits')).status);
  return list;
}

const FAIL = { do: 'answer', status: 500 } as const;

describe('which requests a rule meets', () => {
  test('nth counts the requests that meet the rest of the match, from 1', async () => {
    expect(await statuses([{ match: { route: 'credits', nth: 2 }, action: FAIL }], 3)).toEqual([200, 500, 200]);
    expect(await statuses([{ match: { route: 'credits', nth: [1, 3] }, action: FAIL }], 3)).toEqual([500, 200, 500]);
    expect(await statuses([{ match: { route: 'discounts', nth: 1 }, action: FAIL }], 1)).toEqual([200]);
  });

  test('everyNth and times', async () => {
    const rule: FaultRule = { match: { everyNth: 2 }, times: 2, action: FAIL };
    expect(await statuses([rule], 7)).toEqual([200, 500, 200, 500, 200, 200, 200]);
  });

  test('a route by path, by pattern, by method', async () => {
    expect(await statuses([{ match: { route: '/v1/cre*' }, action: FAIL }], 1)).toEqual([500]);
    expect(await statuses([{ match: { route: 'account.*' }, action: FAIL }], 1)).toEqual([500]);
    expect(await statuses([{ match: { method: 'post' }, action: FAIL }], 1)).toEqual([200]);
  });

  test('chance follows from the seed', async () => {
    const rule: FaultRule = { match: { probability: 0.5 }, action: FAIL };
    const first = await statuses([rule], 20, 7);
    expect(new Set(first).size).toBe(2);
    expect(await statuses([rule], 20, 7)).toEqual(first);
    expect(await statuses([rule], 20, 8)).not.toEqual(first);
  });

  test('bodyContains picks a submit by its text', async () => {
    const emu = await emulator({ faults: [{ match: { bodyContains: 'row-17' }, action: FAIL }] });
    const body = (prompt: string): object => ({ model: 'svc-delta-4', prompt });
    expect((await emu.post('/v1/images/generations', body('row-16'))).status).toBe(200);
    expect((await emu.post('/v1/images/generations', body('row-17'))).status).toBe(500);
  });

  test('a family of the shared route is named by its model', async () => {
    const emu = await emulator({ faults: [{ match: { route: 'vendor-g.submit' }, action: FAIL }] });
    const path = '/v1/vendor-c/services/aigc/video-generation/video-synthesis';
    const submit = (model: string): ReturnType<typeof emu.post> => emu.post(path, { model, input: { prompt: 'x' } });
    expect((await submit('vendor-c-2.7-t2v')).status).toBe(200);
    expect((await submit('vendor-g-1.0-t2v')).status).toBe(500);
  });

  test('the first rule wins where two name one action', async () => {
    const rules: FaultRule[] = [
      { match: { route: 'credits', nth: 1 }, action: { do: 'answer', status: 503 } },
      { match: { route: 'credits' }, action: FAIL },
    ];
    expect(await statuses(rules, 2)).toEqual([503, 500]);
  });
});

describe('parseEmulatorFaults', () => {
  test('takes an array, or an object with faults', () => {
    const rule = { match: { route: 'credits' }, action: { do: 'reset-unread' } };
    expect(parseEmulatorFaults([rule])).toEqual([rule]);
    expect(parseEmulatorFaults({ faults: [rule] })).toEqual([rule]);
  });

  test.each([
    [{}, /JSON array/],
    [[{ action: { do: 'stall' } }], /fault rule 1: match/],
    [[{ match: {}, action: { do: 'explode' } }], /fault rule 1: unknown action "explode"; known: close-unread, /],
    [[{ match: {}, action: 'stall' }], /'do'/],
    [[{ match: {}, action: [] }], /empty list/],
    [[{ match: {}, action: { do: 'stall', minutes: 1 } }], /action 'stall': .*minutes/],
    [[{ match: {}, action: { do: 'answer' } }], /action 'answer': status/],
    [[{ match: { nth: 0 }, action: { do: 'stall' } }], /fault rule 1: match\.nth/],
    [[{ match: { rute: 'x' }, action: { do: 'stall' } }], /rute/],
    [[{ match: {}, action: { do: 'refuse', code: 'nope' } }], /action 'refuse': code/],
  ])('%j is refused with a sentence', (json, says) => {
    expect(() => parseEmulatorFaults(json)).toThrow(says);
  });

  test('an action that reads nothing cannot be combined or look into the body', async () => {
    const emu = await emulator();
    const unread = { do: 'close-unread' } as const;
    expect(() => emu.setFaults([{ match: { bodyContains: 'x' }, action: unread }])).toThrow(/does not read/);
    expect(() => emu.setFaults([{ match: {}, action: [unread, { do: 'stall' }] }])).toThrow(/cannot be combined/);
    expect(() => emu.setFaults([{ match: { route: 'connection' }, action: FAIL }])).toThrow(/connection/);
  });

  test.each(['vendor-f.sumbit', 'svc.images', '*.pol', '/v1/vendor-h/*', '/v1/image/generations'])(
    'finding 4, smaller: a misspelt route is refused with a sentence: %s',
    async (route) => {
      const emu = await emulator();
      expect(() => emu.setFaults([{ name: 'mine', match: { route }, action: FAIL }])).toThrow(/^mine: unknown route '/);
      await expect(emulator({ faults: [{ match: { route }, action: FAIL }] })).rejects.toThrow(
        /fault rule 1: unknown route/,
      );
    },
  );

  test.each([
    ...[
      'svc.image',
      'svc/clip',
      'vendor-g.submit',
      'vendor-c.poll',
      'vendor-a/*',
      '*',
      'media',
      'connection',
      'unknown',
    ],
    ...['/v1/*', '/v1/vendor-f/v1beta/operations/abc', '/v1/vendor-a/videos/text2video/9*', '/media/*'],
  ])('a route that requests can meet is taken: %s', async (route) => {
    const emu = await emulator();
    emu.setFaults([{ match: { route }, action: { do: 'reset-unread' } }]);
  });

  test('docs/faults.md lists every action and every control', async () => {
    const page = readFileSync('docs/faults.md', 'utf8');
    expect(FAULT_ACTION_NAMES.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const emu = await emulator({ control: true });
    const { detail } = (await emu.post('/_control/nope', {})).json;
    const controls = String(detail).split('known: ')[1]?.split(', ') ?? [];
    expect(controls.length).toBeGreaterThan(8);
    expect(controls.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('the vocabulary', () => {
    expect(FAULT_ACTION_NAMES).toMatchInlineSnapshot(`
      [
        "close-unread",
        "reset-unread",
        "reset-before-answer",
        "stall",
        "answer",
        "refuse",
        "gateway",
        "error-with-handle",
        "cached-answer",
        "redirect",
        "cut-body",
        "drip",
        "pad-body",
        "encode-gzip",
        "endless-body",
        "gzip-bomb",
        "create-late",
        "double-job",
        "never-ends",
        "render-seconds",
        "end-job",
        "late-charge",
        "refund-charge",
        "follow-up-charge",
        "expire-output",
        "output-late",
        "callbacks",
        "report-word",
        "report-first-state",
        "without-url",
        "report-quantity",
        "top-up",
        "show-old-balance",
        "show-balance",
        "add-balance-noise",
        "show-old-discounts",
        "ignore-range",
        "change-etag",
        "wrong-content-range",
      ]
    `);
  });
});
