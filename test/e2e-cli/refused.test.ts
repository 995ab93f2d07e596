import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paidRequests } from './support/evidence.js';
import { avatar, type Cells, csv, film, image } from './support/manifest.js';
import { type Ended, type Rig, type StartOptions, startRig } from './support/rig.js';

describe('the exit codes of a run that is refused', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig?.stop());

  /** Runs what must be refused, and sees that nothing was submitted. */
  async function refused(name: string, rows: Cells[], args = ['--yes'], options?: StartOptions): Promise<Ended> {
    await rig.write(`${name}.csv`, csv(rows));
    const ended = await rig.run(['run', `${name}.csv`, ...args], options);
    expect(paidRequests(rig.emulator.truth())).toBe(0);
    expect(ended.stdout).toBe('');
    return ended;
  }

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

  it('5: nothing listens at the base URL', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const ended = await refused('silent', [image('q1')], ['--yes', '--base-url', url]);
    expect(ended.code, ended.stderr).toBe(5);
    expect(ended.stderr).toMatch(/cannot be reached.*nothing was submitted/);
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
