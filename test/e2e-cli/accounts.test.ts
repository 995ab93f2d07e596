// Keys and accounts of one engine: a key that is rotated under a running batch, and two accounts side by side.
import { readdirSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { expectHonestEnd, isCharged, results } from './support/evidence.js';
import { csv, film, image } from './support/manifest.js';
import { KEY, type Rig, startRig, until } from './support/rig.js';

describe.skipIf(!hasTemporal())('keys and accounts of one engine', () => {
  let rig: Rig;
  afterEach(() => rig?.stop());

  const writeKey = async (key: string): Promise<void> => {
    await writeFile(join(rig.folder, 'key'), `${key}\n`);
    await chmod(join(rig.folder, 'key'), 0o600);
  };

  it('F21: a revoked key pauses the account and keeps its handles; the key file brings the next one by itself', async () => {
    rig = await startRig({
      speed: 100,
      config: { ambiguity: 'hold' },
      emulator: { renderSeconds: { 'vendor-f': [600, 600] } },
    });
    const ids = Array.from({ length: 14 }, (_, at) => `rot${at}`);
    await rig.write('rotate.csv', csv(ids.map((id) => film(id))));
    await writeKey(KEY);
    const env = { CALLSHEET_API_KEY: undefined };
    const running = rig.start(['run', 'rotate.csv', '--yes', '--api-key-file', 'key', '--json'], { env });
    await until('jobs render', () => rig.emulator.truth().account.running >= 4 || undefined);
    rig.emulator.setKeys([
      { key: KEY, state: 'revoked' },
      { key: 'sk-svc-the-next-one', state: 'active' },
    ]);
    await until('the account pauses', () => running.stdout().includes('"paused"') || undefined);
    const kept = rig.emulator.truth().jobs.map(({ handle }) => handle);
    await writeKey('sk-svc-the-next-one');
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(0);
    const rows = expectHonestEnd(rig, 'rotate', ids);
    expect(rows.every(({ status }) => status === 'done')).toBe(true);
    // Every handle was kept: no row was rendered twice, and what rendered at the rotation was fetched.
    const { jobs, violations } = rig.emulator.truth();
    expect(jobs).toHaveLength(ids.length);
    const rendering = jobs.filter(({ handle }) => kept.includes(handle));
    expect(rendering.length).toBeGreaterThanOrEqual(4);
    expect(rendering.every(({ outputs }) => outputs[0]?.downloads === 1)).toBe(true);
    expect(violations).toEqual([]);
    expect(rig.printed()).not.toContain('the-next-one');
  });

  it('F21, I14: a key that was unblocked at the service is never used again by itself, and at once by `resume`', async () => {
    rig = await startRig({ speed: 100, config: { ambiguity: 'hold' } });
    const ids = Array.from({ length: 3 }, (_, at) => `blocked${at}`);
    await rig.write('blocked.csv', csv(ids.map((id) => film(id))));
    // A read that is refused first would tell nothing of the key of a submit.
    rig.emulator.setFaults([{ match: { route: 'vendor-f.submit' }, action: { do: 'refuse', code: 'key_revoked' } }]);
    const running = rig.start(['run', 'blocked.csv', '--yes', '--json']);
    await until('the account pauses', () => running.stdout().includes('"paused"') || undefined);
    rig.emulator.setKeys([{ key: KEY, state: 'revoked' }]);
    const seen = await rig.run(['status', 'blocked']);
    expect(seen.stdout + seen.stderr).toMatch(/does not accept the API key .*`callsheet resume blocked`/);
    const refused = await rig.run(['resume', 'blocked'], { env: { CALLSHEET_API_KEY: 'sk-svc-of-someone-else' } });
    expect(refused.code, refused.stderr).toBe(4);
    expect(refused.stderr).toMatch(/the service refused the API key of this command: the engine keeps the one/);
    expect(refused.stderr).toMatch(
      /still does not accept the API key, so nothing new is submitted: .*`callsheet resume/,
    );
    expect(refused.stdout).toBe('');
    rig.emulator.setKeys([{ key: KEY, state: 'active' }]);
    rig.emulator.setFaults([{ match: { route: 'credits' }, action: { do: 'answer', status: 503, body: '' } }]);
    const unknown = await rig.run(['resume', 'blocked']);
    expect([unknown.code, unknown.stderr]).toEqual([0, expect.stringMatching(/until the service accepts the API key/)]);
    rig.emulator.setFaults([]);
    await sleep(5_000);
    expect(running.stdout()).not.toMatch(/"type":"resumed".*"reason":"key"/);
    const resumed = await rig.run(['resume', 'blocked']);
    expect(resumed.code, resumed.stderr).toBe(0);
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(expectHonestEnd(rig, 'blocked', ids).every(({ status }) => status === 'done')).toBe(true);
  });

  it('two accounts at once: each has its own key, slots, queue, caps, balance and ledger', async () => {
    rig = await startRig({
      speed: 100,
      config: { ambiguity: 'hold' },
      emulator: { renderSeconds: { 'vendor-f': [600, 600] } },
    });
    const keys = { first: 'sk-svc-first', second: 'sk-svc-second' } as const;
    rig.emulator.setKeys(Object.entries(keys).map(([account, key]) => ({ key, state: 'active', account })));
    const caps = { first: 2, second: 4 } as const;
    for (const name of ['first', 'second'] as const) rig.emulator.setLimits({ concurrent: caps[name] }, name);
    rig.emulator.topUp('7', 'second');
    const names = Object.keys(keys) as (keyof typeof keys)[];
    for (const name of names) {
      const films = Array.from({ length: 2 * caps[name] }, (_, at) => film(`${name}${at}`));
      await rig.write(`${name}.csv`, csv([...films, image(`${name}-still`)]));
    }
    const run = (name: keyof typeof keys) =>
      rig.run(['run', `${name}.csv`, '--yes', '--account', name], { env: { CALLSHEET_API_KEY: keys[name] } });
    const ended = await Promise.all(names.map(run));
    for (const { code, stderr } of ended) expect(code, stderr).toBe(0);
    const truth = rig.emulator.truth();
    expect(truth.violations).toEqual([]);
    // One engine served both, and each filled its own cap and no more (I4).
    expect((await rig.engine())?.accounts.toSorted()).toEqual(names);
    expect(names.map((name) => truth.accounts[name]?.maxima.jobsAtOnce)).toEqual([2, 4]);
    for (const name of names) {
      const own = truth.jobs.filter((job) => job.account === name);
      expect(own.filter(isCharged)).toHaveLength(2 * caps[name] + 1);
      expect(own.every(({ body }) => JSON.stringify(body).includes(name))).toBe(true);
      expect(results(rig, name).map(({ status }) => status)).toEqual(Array(2 * caps[name] + 1).fill('done'));
      // I11: what the results say is what left the balance of this account.
      const { balance, sums } = truth.accounts[name] ?? { balance: undefined, sums: undefined };
      expect((balance?.startNano ?? 0) + (sums?.topUpNano ?? 0) - (sums?.chargedNano ?? 0)).toBe(balance?.nowNano);
      const batches = readdirSync(join(rig.data, 'home', name, 'batches'));
      expect(batches).toEqual([name]);
    }
  });
});
