import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/emulator/emulator.js';
import { hasTemporal } from '../support/temporal.js';
import { paidRequests, results } from './support/evidence.js';
import { avatar, type Cells, csv, film, image } from './support/manifest.js';
import { type Rig, type StartOptions, startRig, until } from './support/rig.js';

describe.skipIf(!hasTemporal())('the exit codes of run and watch', { timeout: 240_000 }, () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ speed: 200 });
  });
  afterAll(() => rig?.stop());

  async function run(name: string, rows: Cells[], args: string[] = ['--yes'], options?: StartOptions) {
    await rig.write(`${name}.csv`, csv(rows));
    return rig.run(['run', `${name}.csv`, ...args], options);
  }

  /** Runs what must be refused, and sees that nothing was submitted. */
  async function refused(name: string, rows: Cells[], args: string[] = ['--yes'], options?: StartOptions) {
    const before = paidRequests(rig.emulator.truth());
    const ended = await run(name, rows, args, options);
    expect(paidRequests(rig.emulator.truth())).toBe(before);
    return ended;
  }

  const withFaults = async <T>(faults: FaultRule[], act: () => Promise<T>): Promise<T> => {
    rig.emulator.setFaults(faults);
    try {
      return await act();
    } finally {
      rig.emulator.setFaults([]);
    }
  };

  it('0: every row is done', async () => {
    const ended = await run('done', [image('d1'), image('d2')]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toContain('done 2');
  });

  it('1: a render failed, which costs nothing (F39)', async () => {
    const fails: FaultRule = {
      match: { route: 'vendor-f.submit' },
      action: { do: 'end-job', as: 'failed', message: 'the scene was refused' },
    };
    const ended = await withFaults([fails], () => run('fails', [image('f1'), film('f2')]));
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stderr).toContain('failed 1');
    expect(results(rig, 'fails')[1]).toMatchObject({ status: 'failed', credits: 0 });
  });

  it.each<[string, Cells[], string[], RegExp]>([
    [
      'a manifest that is wrong',
      [image('w1', { width: '0' })],
      ['--yes'],
      /^wrong\.csv:2:5: B17 width must be 1-8192/m,
    ],
    [
      'a budget below the plan',
      [avatar('w1')],
      ['--max-credits', '0.5'],
      /B52 planned 3 credits exceed --max-credits 0\.5/,
    ],
    [
      'an unknown price with a budget',
      [film('w1', { model: 'vendor-f-3.1-generate-preview' })],
      ['--max-credits', '5'],
      /B52 .*no known price/,
    ],
    [
      'no --yes above the threshold and nobody to ask',
      [avatar('w1')],
      [],
      /say --yes or set --max-credits; nothing was submitted/,
    ],
    ['no --yes with an unknown price', [film('w1', { model: 'vendor-f-3.1-generate-preview' })], [], /say --yes/],
    ['an unknown flag', [image('w1')], ['--yes', '--colour'], /unknown option '--colour'/],
    ['a word too many', [image('w1')], ['--yes', 'more.csv'], /too many arguments/],
    ['a budget that is no number', [image('w1')], ['--max-credits', 'lots'], /B52 .*--max-credits|--max-credits: B52/],
  ])('2: %s', async (_, rows, args, said) => {
    const ended = await refused('wrong', rows, args);
    expect(ended.code, ended.stderr).toBe(2);
    expect(ended.stderr).toMatch(said);
  });

  it('3: a lost answer that was billed is `lost_paid`', async () => {
    const lost: FaultRule = {
      match: { route: 'svc.image', nth: 1 },
      action: { do: 'reset-before-answer', created: true },
    };
    const large = image('l1', { width: '1000', height: '1000' });
    const ended = await withFaults([lost], () => run('lost', [large]));
    expect(ended.code, ended.stderr).toBe(3);
    expect(results(rig, 'lost')).toMatchObject([{ id: 'l1', status: 'lost_paid', credits: 0.001 }]);
    expect(ended.stderr).toContain('1 rows need a person');
  });

  it('3: a lost answer that cannot be decided is for `review`', async () => {
    const lost: FaultRule = { match: { route: 'vendor-f.submit', nth: 1 }, action: { do: 'close-unread' } };
    const shared = ['--yes', '--account', 'shared', '--no-exclusive', '--ambiguity', 'hold'];
    const ended = await withFaults([lost], () => run('undecided', [film('u1')], shared));
    expect(ended.code, ended.stderr).toBe(3);
    expect(results(rig, 'undecided')).toMatchObject([{ id: 'u1', status: 'review', credits: null }]);
  });

  it.each<[string, StartOptions, RegExp]>([
    ['no key', { env: { CALLSHEET_API_KEY: undefined } }, /B49 API key missing: set CALLSHEET_API_KEY/],
    ['an empty key', { env: { CALLSHEET_API_KEY: '' } }, /B49 API key missing/],
    ['a key of the wrong form', { env: { CALLSHEET_API_KEY: 'my secret' } }, /B49 API key has the wrong form/],
    [
      'a key that the service refuses',
      { env: { CALLSHEET_API_KEY: 'sk-svc-of-someone-else' } },
      /does not accept the API key/,
    ],
    ['no base URL', { env: { CALLSHEET_BASE_URL: undefined } }, /base/i],
  ])('4: %s', async (_, options, said) => {
    const ended = await refused('settings', [image('s1')], ['--yes'], options);
    expect(ended.code, ended.stderr).toBe(4);
    expect(ended.stderr).toMatch(said);
    expect(ended.stderr).not.toMatch(/my secret|of-someone-else/);
  });

  it('4: an output folder that is a file (B54)', async () => {
    const taken = await rig.write('taken', 'a file');
    const ended = await refused('nowhere', [image('n1')], ['--yes', '--out', taken]);
    expect(ended.code, ended.stderr).toBe(4);
    expect(ended.stderr).toMatch(/B54 cannot write to .*taken.*nothing was submitted/);
  });

  it('4: the service refuses the key in the middle for longer than --wait (F21)', async () => {
    const revoked: FaultRule = { match: { route: 'svc.image' }, action: { do: 'refuse', code: 'key_revoked' } };
    const args = ['--yes', '--wait', '0.02', '--account', 'revoked'];
    const ended = await withFaults([revoked], () => run('revoked', [image('k1')], args));
    expect(ended.code, ended.stderr).toBe(4);
    expect(ended.stderr).toMatch(/has not accepted the API key/);
  });

  it('5: nothing listens at the base URL', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const ended = await refused('silent', [image('q1')], ['--yes', '--base-url', url]);
    expect(ended.code, ended.stderr).toBe(5);
    expect(ended.stderr).toMatch(/cannot be reached.*nothing was submitted/);
  });

  it('6: out of credits for longer than --wait; once they are there the batch goes on by itself (F20)', async () => {
    const broke: FaultRule = { match: { route: 'svc.image' }, action: { do: 'refuse', code: 'insufficient_credits' } };
    const account = ['--account', 'broke'];
    const ended = await withFaults([broke], () => run('broke', [image('b1')], ['--yes', '--wait', '0.02', ...account]));
    expect(ended.code, ended.stderr).toBe(6);
    expect(ended.stderr).toMatch(/out of credits for longer than/);
    rig.emulator.topUp('20');
    const watched = await rig.run(['watch', 'broke', ...account]);
    expect(watched.code, watched.stderr).toBe(0);
  });

  it('130: Ctrl-C detaches at once; the batch goes on, and `watch` sees its end', async () => {
    await rig.write('detached.csv', csv([film('c1'), film('c2')]));
    const slow: FaultRule = {
      match: { route: 'vendor-f.submit' },
      action: { do: 'render-seconds', serviceSeconds: 1_500 },
    };
    await withFaults([slow], async () => {
      const before = rig.emulator.truth().jobs.length;
      const running = rig.start(['run', 'detached.csv', '--yes']);
      await until('both films render', () => rig.emulator.truth().jobs.length === before + 2 || undefined);
      running.child.kill('SIGINT');
      const ended = await running.ended;
      expect(ended.code, ended.stderr).toBe(130);
      expect(ended.stderr).toMatch(/detached: batch 'detached' goes on in the background/);
      expect(ended.stderr).toMatch(/render .*billed/);
      expect(ended.stderr).toContain('callsheet watch detached');
      expect(ended.stderr).toContain('callsheet cancel detached');
    });
    const watched = await rig.run(['watch', 'detached']);
    expect(watched.code, watched.stderr).toBe(0);
    expect(results(rig, 'detached').map(({ status }) => status)).toEqual(['done', 'done']);
  });
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
