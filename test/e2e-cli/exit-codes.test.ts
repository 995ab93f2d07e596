import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { cellsOf } from '../../src/books/prices/measured-prices.js';
import type { Row } from '../../src/domain/row.js';
import { hasTemporal } from '../support/temporal.js';
import { paidRequests, results } from './support/evidence.js';
import { type Cells, csv, film, image } from './support/manifest.js';
import { type Rig, type StartOptions, startRig, until } from './support/rig.js';

describe.skipIf(!hasTemporal())('the exit codes of a run that goes its way, and of watch', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ speed: 200 });
  });
  afterAll(() => rig?.stop());

  async function run(name: string, rows: Cells[], args: string[] = ['--yes'], options?: StartOptions) {
    await rig.write(`${name}.csv`, csv(rows));
    return rig.run(['run', `${name}.csv`, ...args], options);
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
    const flags = ['--yes', '--retries', '1'];
    const ended = await withFaults([fails], () => run('fails', [image('f1'), film('f2')], flags));
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stderr).toContain('failed 1');
    expect(results(rig, 'fails')[1]).toMatchObject({ status: 'failed', credits: 0, attempts: 2 });
    // Without a word of its own, `retry` tries as often by itself as `run` was told to.
    const retried = await withFaults([fails], () => rig.run(['retry', 'fails', '--yes']));
    expect(retried.code, retried.stderr).toBe(1);
    expect(results(rig, 'fails')[1]).toMatchObject({ status: 'failed', credits: 0, attempts: 4 });
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
    expect(ended.stderr).toContain('1 row needs a person');
  });

  it('3: a lost answer that cannot be decided is for `review`', async () => {
    const lost: FaultRule = { match: { route: 'vendor-f.submit', nth: 1 }, action: { do: 'close-unread' } };
    const shared = ['--yes', '--account', 'shared', '--no-exclusive', '--ambiguity', 'hold'];
    const ended = await withFaults([lost], () => run('undecided', [film('u1')], shared));
    expect(ended.code, ended.stderr).toBe(3);
    expect(results(rig, 'undecided')).toMatchObject([{ id: 'u1', status: 'review', credits: null }]);
  });

  it('3: a paid output that cannot be fetched yet; `retry --class output` fetches it, and nothing is paid again (F40)', async () => {
    const gone: FaultRule = { match: { route: 'media' }, action: { do: 'answer', status: 404 } };
    const ended = await withFaults([gone], () => run('pending', [image('p1')]));
    expect(ended.code, ended.stderr).toBe(3);
    expect(results(rig, 'pending')).toMatchObject([{ status: 'review', reason_code: 'output_pending', attempts: 1 }]);
    const shown = await rig.run(['review', 'show', 'pending', 'p1']);
    expect(shown.stdout).toMatch(/^output {4}http:\/\/127\.0\.0\.1:\d+\/media\/\w+\.png\?expires=/m);
    const before = paidRequests(rig.emulator.truth());
    const retried = await rig.run(['retry', 'pending', '--class', 'output', '--yes']);
    expect(retried.code, retried.stderr).toBe(0);
    expect(results(rig, 'pending')).toMatchObject([{ status: 'done', attempts: 1 }]);
    expect(paidRequests(rig.emulator.truth())).toBe(before);
  });

  it('documents of a finished batch that a disk has damaged are written anew by the `run` that began it (F46)', async () => {
    const flags = ['--max-credits', '5'];
    expect((await run('damaged', [image('d1')], flags)).code).toBe(0);
    const { account } = JSON.parse((await rig.run(['list', '--json'])).stdout);
    const folder = join(rig.data, 'home', account, 'batches', 'damaged');
    const damaged = ['terms.json', 'options.json', 'current.json'].map((name) => join(folder, name));
    for (const file of damaged) writeFileSync(file, '');
    expect((await rig.run(['retry', 'damaged', '--yes'])).stderr).toContain(
      'give the `callsheet run …` that started it',
    );
    const verified = await rig.run(['ledger', 'verify']);
    for (const name of ['terms', 'options', 'current']) expect(verified.stdout).toContain(`damaged/${name}.json`);
    const again = await run('damaged', [image('d1')], flags);
    expect(again.code, again.stderr).toBe(0);
    expect(JSON.parse(readFileSync(damaged[0] ?? '', 'utf8'))).toMatchObject({ limits: { maxCreditsNano: 5e9 } });
    expect((await rig.run(['ledger', 'verify'])).stdout).toContain('the ledger agrees with itself');
    expect((await rig.run(['retry', 'damaged', '--yes'])).stderr).not.toContain('cannot be read');
    const { generation } = JSON.parse(readFileSync(damaged[2] ?? '', 'utf8'));
    writeFileSync(join(folder, 'rows', generation, '000000.jsonl'), '');
    expect((await rig.run(['ledger', 'verify'])).stdout).toContain('000000.jsonl: rows cannot be read');
    const repaired = await rig.run(['ledger', 'repair']);
    expect(repaired.stdout).toMatch(/^left .*000000\.jsonl: run its manifest again/m);
    expect(repaired.stderr).not.toContain('set aside');
    const raised = await run('damaged', [image('d1')], ['--max-credits', '6', '--priority', '3', '--weight', '1']);
    expect(raised.stderr).toContain(
      '--priority 3 changes nothing where no row is run: `callsheet limits damaged --pri',
    );
    expect(raised.stderr).toContain('--max-credits changes nothing where no row is run: `callsheet resume damaged');
    expect((await rig.run(['ledger', 'verify'])).stdout).toContain('the ledger agrees with itself');
  });

  it('F46a, 4-U5: files that are gone or changed are seen at the next run and fetched again while they live', async () => {
    expect((await run('lost-files', [image('g1'), image('g2'), image('g3')])).code).toBe(0);
    const before = paidRequests(rig.emulator.truth());
    const [gone = '', changed = ''] = ['g1', 'g2'].map((id) => join(rig.out, 'lost-files', 'media', `${id}.png`));
    rmSync(gone);
    writeFileSync(changed, 'retouched');
    const again = await run('lost-files', [image('g1'), image('g2'), image('g3')]);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).not.toContain('nothing to do');
    expect(again.stderr).toContain('2 finished rows have no longer the file that was stored');
    expect(again.stderr).toContain('media/g1.png (gone), media/g2.png (changed): fetched again');
    expect(results(rig, 'lost-files')).toMatchObject([
      { status: 'done', file: 'media/g1.png' },
      { status: 'done', file: 'media/g2.v2.png' },
      { status: 'done', file: 'media/g3.png' },
    ]);
    expect(existsSync(gone)).toBe(true);
    expect(readFileSync(changed, 'utf8')).toBe('retouched');
    expect(paidRequests(rig.emulator.truth())).toBe(before);
  });

  it('F46a: an output folder that was away for a moment costs nothing: its files are taken as they lie', async () => {
    const rows = [image('m1'), image('m2')];
    expect((await run('mounted', rows)).code).toBe(0);
    const before = paidRequests(rig.emulator.truth());
    const [folder, away] = [join(rig.out, 'mounted'), join(rig.folder, 'away')];
    const dead: FaultRule = { match: { route: 'media' }, action: { do: 'answer', status: 404 } };
    await withFaults([dead], async () => {
      renameSync(folder, away);
      const unmounted = await run('mounted', rows);
      expect(unmounted.code, unmounted.stderr).toBe(3);
      const waiting = { status: 'review', reason_code: 'output_pending', file: null };
      expect(results(rig, 'mounted')).toMatchObject([waiting, waiting]);
      expect((await rig.run(['review', 'list', 'mounted'])).stderr).toContain('2 files are not there as stored');
      // Nothing but the next commands can take them.
      await rig.run(['engine', 'stop']);
      rmSync(folder, { recursive: true });
      renameSync(away, folder);
      const paidAgain = await rig.run(['review', 'resubmit', 'mounted', 'm1', '--yes']);
      expect(paidAgain.code).toBe(2);
      expect(paidAgain.stderr).toContain(
        'what was stored of it is there again, `callsheet retry mounted --class output` takes it',
      );
      const again = await run('mounted', rows);
      expect(again.code, again.stderr).toBe(0);
      expect(again.stderr).toContain('2 files are there again as stored in');
      expect(again.stderr).not.toContain('nothing to do');
    });
    expect(results(rig, 'mounted')).toMatchObject([
      { status: 'done', reason_code: null, file: 'media/m1.png' },
      { status: 'done', reason_code: null, file: 'media/m2.png' },
    ]);
    expect((await run('mounted', rows)).stderr).toContain('nothing to do');
    expect(paidRequests(rig.emulator.truth())).toBe(before);
  });

  it('2: paying again by hand without --yes names the price that was measured', async () => {
    const { id, kind, ...cells } = film('u1');
    const row: Row = { index: 0, line: 2, id, kind: 'vendor-f/video', stem: id, cells, media: {}, hash: '' };
    const seen = { multiplierPpb: 1_000_000_000, paidNano: 420_000_000, firstAtMs: 1, lastAtMs: 2, times: 2 };
    const measured = {
      kind,
      cells: cellsOf({ ...row, cells: { ...cells, duration: 4 } }, {}),
      exclusive: false,
      ...seen,
    };
    const prices = join(rig.data, 'home', 'shared', 'prices.json');
    writeFileSync(prices, JSON.stringify({ schema: 1, prices: [measured] }));
    const before = paidRequests(rig.emulator.truth());
    const order = [
      'review',
      'resubmit',
      'undecided',
      'u1',
      '--account',
      'shared',
      '--no-exclusive',
      '--ambiguity',
      'hold',
    ];
    const ended = await rig.run([...order, '--prices', '[]']);
    expect(ended.code, ended.stderr).toBe(2);
    expect(ended.stderr).toContain("row 'u1' would be paid again (up to 0.42 credits): say --yes");
    expect(paidRequests(rig.emulator.truth())).toBe(before);
  });

  it('4: a key that the service refuses, while the engine has a good one', async () => {
    const env = { CALLSHEET_API_KEY: 'sk-svc-of-someone-else' };
    const before = paidRequests(rig.emulator.truth());
    const ended = await run('stranger', [image('o1')], ['--yes'], { env });
    expect(ended.code, ended.stderr).toBe(4);
    expect(ended.stderr).toMatch(/does not accept the API key/);
    expect(paidRequests(rig.emulator.truth())).toBe(before);
    const good = await run('stranger', [image('o1')]);
    expect(good.code, good.stderr).toBe(0);
  });

  it('4: the service refuses the key in the middle for longer than --wait (F21)', async () => {
    const revoked: FaultRule = { match: { route: 'svc.image' }, action: { do: 'refuse', code: 'key_revoked' } };
    const args = ['--yes', '--wait', '0.02', '--account', 'revoked'];
    const ended = await withFaults([revoked], () => run('revoked', [image('k1')], args));
    expect(ended.code, ended.stderr).toBe(4);
    expect(ended.stderr).toMatch(/has not accepted the API key/);
  });

  it('6: out of credits for longer than --wait; once they are there the batch goes on by itself (F20)', async () => {
    const broke: FaultRule = { match: { route: 'svc.image' }, action: { do: 'refuse', code: 'insufficient_credits' } };
    const account = ['--account', 'broke'];
    const ended = await withFaults([broke], () => run('broke', [image('b1')], ['--yes', '--wait', '0.02', ...account]));
    expect(ended.code, ended.stderr).toBe(6);
    expect(ended.stderr).toMatch(/out of credits for longer than/);
    const resumed = await rig.run(['resume', 'broke', ...account]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toMatch(
      /nothing new is submitted yet: .*credits do not suffice.*: add some, and it goes on/,
    );
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
      await until('both films render', () => rig.emulator.truth().jobs.length >= before + 2 || undefined);
      running.child.kill('SIGINT');
      const ended = await running.ended;
      expect(ended.code, ended.stderr).toBe(130);
      expect(ended.stderr).toMatch(/detached: batch 'detached' goes on in the background/);
      expect(ended.stderr).toMatch(/renders? .*billed/);
      expect(ended.stderr).toContain('callsheet watch detached');
      expect(ended.stderr).toContain('callsheet cancel detached');
    });
    const watched = await rig.run(['watch', 'detached']);
    expect(watched.code, watched.stderr).toBe(0);
    expect(results(rig, 'detached').map(({ status }) => status)).toEqual(['done', 'done']);
  });
});
