import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { hasTemporal } from '../support/temporal.js';
import { jsonLines, results } from './support/evidence.js';
import { csv, film, image, mixed } from './support/manifest.js';
import { KEY, type Rig, startRig } from './support/rig.js';

interface Event {
  schema: number;
  type: string;
  batch: string;
  at: string;
  id?: string;
  status?: string;
  credits?: string | null;
  counts?: Record<string, number>;
  rows?: number;
  toRun?: number;
  exitCode?: number;
}

const ROWS = mixed(6, 'v');

describe.skipIf(!hasTemporal())('what the commands print', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ speed: 200 });
    await rig.write('views.csv', csv(ROWS));
  });
  afterAll(() => rig?.stop());

  /** One object on standard output, with its schema number. */
  async function json<T>(args: string[]): Promise<T & { schema: number }> {
    const ended = await rig.run([...args, '--json']);
    expect(ended.code, ended.stderr).toBe(0);
    const lines = jsonLines<T & { schema: number }>(ended.stdout);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.schema).toBe(1);
    return lines[0] as T & { schema: number };
  }

  it('plan --json: rows, costs, caps and time; nothing is sent that costs, nothing is written', async () => {
    const plan = await json<object>(['plan', 'views.csv']);
    expect(plan).toMatchObject({
      batch: 'views',
      rows: { total: 6, toSubmit: 6, underWay: 0, finished: 0 },
      // Two pictures, two films of 4 s, and two avatars of at most 60 s.
      cost: { worst: '6.800128', unknownRows: 0 },
      plan: 'pro',
      caps: { concurrent: 10, rpm: 40_000 },
      balance: '1000',
    });
    expect(rig.emulator.truth().requests.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(await json(['list'])).toMatchObject({ batches: [] });
  });

  it('run --json: batch_started, each row once, batch_finished with counts and credits', async () => {
    const ended = await rig.run(['run', 'views.csv', '--yes', '--json']);
    expect(ended.code, ended.stderr).toBe(0);
    const events = jsonLines<Event>(ended.stdout);
    expect(
      events.every(({ schema, batch, at }) => schema === 1 && batch === 'views' && !Number.isNaN(Date.parse(at))),
    ).toBe(true);
    expect(events[0]).toMatchObject({ type: 'batch_started', rows: 6, toRun: 6 });
    const rows = events.filter(({ type }) => type === 'row_finished');
    expect(rows.map(({ id }) => id).sort()).toEqual(ROWS.map(({ id }) => id));
    expect(rows.every(({ status, credits }) => status === 'done' && typeof credits === 'string')).toBe(true);
    const { balance } = rig.emulator.truth().account;
    const last = events.at(-1);
    expect(last).toMatchObject({ type: 'batch_finished', exitCode: 0, counts: { done: 6, failed: 0 } });
    expect(Number(last?.credits)).toBeCloseTo((balance.startNano - balance.nowNano) / 1e9, 9);
  });

  it('status, list and results --json of a batch that ended; status and list in words', async () => {
    const counts = { done: 6, failed: 0, lost_paid: 0, review: 0, cancelled: 0, skipped: 0, not_started: 0 };
    expect(await json(['status', 'views'])).toMatchObject({ batch: 'views', state: 'finished', rows: 6, counts });
    expect(await json(['list'])).toMatchObject({ batches: [{ batch: 'views', state: 'finished', rows: 6 }] });
    expect(await json(['results', 'views'])).toMatchObject({ rows: 6, counts, open: 0 });
    expect((await rig.run(['status', 'views'])).stdout).toContain('done 6');
    expect((await rig.run(['list'])).stdout).toContain('views');
  });

  it('watch of a batch that ended tells the same end', async () => {
    const ended = await rig.run(['watch', 'views', '--json']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(jsonLines<Event>(ended.stdout).at(-1)).toMatchObject({ type: 'batch_finished', counts: { done: 6 } });
  });

  it('orders for several rows; a row that a person gave up needs nobody any more', async () => {
    const lost: FaultRule = { match: { route: 'vendor-f.submit' }, times: 3, action: { do: 'close-unread' } };
    rig.emulator.setFaults([lost]);
    const place = ['--account', 'people', '--no-exclusive', '--ambiguity', 'hold'];
    await rig.write('people.csv', csv(['p1', 'p2', 'p3'].map((id) => film(id))));
    const first = await rig.run(['run', 'people.csv', '--yes', ...place]);
    expect(first.code, first.stderr).toBe(3);
    // Friction 3: there is nothing to retry, and the rows that wait for a person are named.
    const retried = await rig.run(['retry', 'people', '--json', ...place]);
    expect(retried.code, retried.stderr).toBe(3);
    expect(jsonLines<Event>(retried.stdout).map(({ type }) => type)).toEqual(['batch_started', 'batch_finished']);
    expect(retried.stderr).toContain('3 rows need a person');
    const two = await rig.run(['review', 'mark-lost', 'people', 'p1', 'p2', '--json', ...place]);
    expect(two.code, two.stderr).toBe(0);
    expect(jsonLines<object>(two.stdout)[0]).toMatchObject({
      command: 'mark-lost',
      rows: ['p1', 'p2'].map((id) => ({ id, status: 'lost_paid', reason_code: 'marked_lost', refused: null })),
    });
    const still = await rig.run(['run', 'people.csv', '--yes', ...place]);
    expect(still.code, still.stderr).toBe(3);
    expect(still.stderr).toContain('1 row needs a person');
    const all = await rig.run(['review', 'mark-lost', 'people', '--all', ...place]);
    expect(all.code, all.stderr).toBe(0);
    expect(all.stdout).toContain("row 'p3' is lost_paid");
    const none = await rig.run(['run', 'people.csv', '--yes', ...place]);
    expect(none.code, none.stderr).toBe(1);
    expect(none.stderr).not.toContain('a person');
    expect((await rig.run(['review', 'list', 'people', ...place])).stderr).toContain('no row needs a person');
    const shown = await rig.run(['status', 'people', ...place]);
    expect(shown.stdout).toMatch(/^manifest +.*people\.csv$/m);
    expect(shown.stdout).not.toContain('needs a person');
  });

  it('5-X8: run --json whose reader goes is detached, and says so', async () => {
    await rig.write('reader.csv', csv([film('r1'), film('r2')]));
    const running = rig.start(['run', 'reader.csv', '--yes', '--json']);
    running.child.stdout?.once('data', () => running.child.stdout?.destroy());
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(130);
    expect(ended.stderr).toContain("detached: batch 'reader' goes on");
    const watched = await rig.run(['watch', 'reader']);
    expect(watched.code, watched.stderr).toBe(0);
  });

  it('a batch that nobody knows', async () => {
    for (const command of ['status', 'watch', 'pause', 'cancel', 'retry', 'results']) {
      const ended = await rig.run([command, 'veiws']);
      expect(ended.code, `${command}: ${ended.stderr}`).toBe(2);
      expect(ended.stderr).toMatch(/veiws/);
    }
  });

  it('credits, discounts and voices', async () => {
    const { balance } = rig.emulator.truth().account;
    expect(await json(['credits'])).toMatchObject({ credits: balance.now, plan: 'pro', concurrent: 10, rpm: 40_000 });
    expect(await json(['discounts'])).toMatchObject({ discounts: [] });
    const { voices } = await json<{ voices: { voiceId: string }[] }>(['voices']);
    expect(voices.map(({ voiceId }) => voiceId)).toContain('v-amber-en');
    expect((await rig.run(['credits'])).stdout).toContain('10 jobs at once');
  });

  it('kinds shows every rule of a kind; init writes a manifest that plan takes', async () => {
    const kinds = await rig.run(['kinds', 'svc/image']);
    expect(kinds.code, kinds.stderr).toBe(0);
    for (const word of ['model', 'prompt', 'width', 'height', 'true_cfg_scale']) expect(kinds.stdout).toContain(word);
    for (const kind of ['svc/image', 'vendor-b/avatar', 'vendor-f/video']) {
      const sample = await rig.run(['init', kind]);
      expect(sample.code, sample.stderr).toBe(0);
      await rig.write('sample.csv', sample.stdout);
      const planned = await rig.run(['plan', 'sample.csv']);
      expect(planned.code, planned.stderr).toBe(0);
    }
  });

  it('config show --origin names where each setting is from and never shows the key (I15)', async () => {
    const shown = await rig.run(['config', 'show', '--origin', '--rpm', '100']);
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).not.toContain(KEY);
    expect(shown.stdout).toMatch(/API key.*\[redacted\].*environment CALLSHEET_API_KEY/);
    expect(shown.stdout).toMatch(/limits\.rpm.*100.*flag/);
    expect(shown.stdout).toMatch(/baseUrl.*environment/);
    expect(shown.stdout).toMatch(/account\.exclusive.*callsheet\.config\.json/);
    const asJson = await rig.run(['config', 'show', '--origin', '--json']);
    expect(asJson.stdout).not.toContain(KEY);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ schema: 1, apiKey: { value: '[redacted]' } });
  });

  it('a manifest from standard input needs a name', async () => {
    const stdin = JSON.stringify({ ...image('in1'), width: 320, height: 200 });
    const nameless = await rig.run(['run', '-', '--format', 'jsonl', '--yes'], { stdin });
    expect(nameless.code, nameless.stderr).toBe(2);
    expect(nameless.stderr).toContain('--name');
    const named = await rig.run(['run', '-', '--format', 'jsonl', '--yes', '--name', 'piped'], { stdin });
    expect(named.code, named.stderr).toBe(0);
    expect(results(rig, 'piped')).toMatchObject([{ id: 'in1', status: 'done' }]);
    const wrong = await rig.run(['plan', '-', '--name', 'piped2'], { stdin: csv([film('x', { duration: '5' })]) });
    expect(wrong.stderr).toMatch(/^<stdin>:2:10: B41 /m);
  });
});
