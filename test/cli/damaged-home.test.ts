// A disk damages one document: what it concerns needs a person or is made anew, and nothing else stands still (design 8).
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../emulator/emulator.js';
import { type AccountRecords, openAccountRecords } from '../../src/home/account-records.js';
import { readBatchOptions, writeBatchOptions } from '../../src/home/batch-order.js';
import { readMeasuredPrices } from '../../src/home/learned.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { isTrusted } from '../../src/home/verdicts.js';
import { createFolderStore } from '../../src/store/folder.js';
import { encodeJson } from '../../src/store/json-file.js';
import { intent, states, storedRow, wholeRecord } from '../home/support/examples.js';
import { cli, workFolder } from './harness.js';

let emulator: Emulator;
let cwd: string;
let account: AccountRecords;
let generation: string;

beforeAll(async () => {
  emulator = await startEmulator({ balanceCredits: '12.5' });
});
afterAll(() => emulator.close());

/** A finished batch `b` of two rows, as a run leaves it. */
beforeEach(async () => {
  cwd = workFolder();
  const name = `rehearsal-${emulator.port}`;
  const store = createFolderStore(join(cwd, 'data', 'home'));
  account = openAccountRecords(store, name);
  const out = join(cwd, 'out');
  await account.home.bindBaseUrl(emulator.url);
  await account.home.bindOut('b', out, 1);
  const options = { onExists: 'fail', responseFormat: 'url', manifestFolder: cwd, maxOutputBytes: 1e9 } as const;
  await writeBatchOptions(account.home, 'b', { schema: 1, out, ...options });
  const writer = createRowsWriter(store, name, 'b');
  for (const index of [0, 1]) await writer.add(storedRow(index));
  const columns = ['id', 'kind', 'prompt'];
  ({ generation } = await writer.finish({ columns, passthroughColumns: [], createdAtMs: 1 }));
  await account.rows.setCurrentGeneration('b', generation);
  for (const id of ['row-0', 'row-1']) {
    const ref = { batch: 'b', id, n: 1 };
    await account.ledger.claim(ref, intent({ rowHash: 'c'.repeat(64), generation, index: Number(id.slice(4)) }));
    await account.ledger.append(ref, states.done);
    await account.records.writeRecord('b', wholeRecord(id));
  }
  await account.home.addCheckpoint({ atMs: 5, balanceNano: 7, rpm: 60, concurrent: 5, plan: null });
});

const run = (args: string[]) =>
  cli(args, { cwd, env: { CALLSHEET_BASE_URL: emulator.url, CALLSHEET_API_KEY: 'sk-svc-emulator' } });
const damage = (key: string) => account.home.store.put(key, Buffer.from('{"sch'));

const DOCUMENTS: Record<string, () => string> = {
  "a row's record": () => account.home.keys.record('b', 'row-1'),
  'batch.json': () => account.home.keys.batch('b'),
  'options.json': () => account.home.keys.options('b'),
  'current.json': () => account.home.keys.currentGeneration('b'),
  'generation.json': () => account.home.keys.generationFacts('b', generation),
  'a part of rows': () => account.home.keys.part('b', generation, 0),
  'account.json': () => account.home.keys.account,
  'prices.json': () => account.home.keys.prices,
  'learned.json': () => account.home.keys.learned,
  'a checkpoint': () => account.home.keys.balance(6, 'a'),
  'an entry of the open index': () => account.home.keys.open({ batch: 'b', id: 'row-1', n: 1 }),
  "a batch's books": () => account.home.keys.books('b'),
};

describe('6-O4: one damaged document', () => {
  test.each(Object.entries(DOCUMENTS))('%s: every command goes on, and verify names it', async (_name, keyOf) => {
    const key = keyOf();
    await damage(key);
    writeFileSync(join(cwd, 'o.csv'), 'id,kind,model,prompt,width,height\na,svc/image,svc-alpha.2-klein-4b,x,64,64\n');
    const commands = [
      ['list'],
      ['status', 'b'],
      ['results', 'b'],
      ['review', 'list'],
      ['plan', 'o.csv'],
      ['clean', 'b'],
    ];
    for (const args of commands)
      expect([args, await run(args)]).toEqual([args, expect.objectContaining({ exitCode: 0 })]);
    const verified = await run(['ledger', 'verify']);
    expect([verified.exitCode, verified.stdout]).toEqual([1, expect.stringContaining(`damaged  ${key}`)]);
    expect((await run(['doctor'])).stdout).toContain(`cannot be read, the first is ${key}`);
  });

  test('a record: the row needs a person, is never sent again by itself, and repair lets the attempts tell', async () => {
    const key = account.home.keys.record('b', 'row-1');
    await damage(key);
    expect((await run(['review', 'list'])).stdout).toMatch(/^b +row-1 +review /m);
    const shown = JSON.parse((await run(['status', 'b', '--json'])).stdout);
    expect(shown.counts).toMatchObject({ done: 1, review: 1 });
    const { exitCode, stdout, stderr } = await run(['ledger', 'repair']);
    expect([exitCode, stdout]).toEqual([0, `set aside  ${key}\n`]);
    expect(stderr).toContain('set-aside');
    expect(await account.records.readRecord('b', 'row-1')).toBeUndefined();
    expect((await run(['ledger', 'verify'])).exitCode).toBe(0);
  });

  test('repair mends every document, whoever reads what it says of the first', async () => {
    const keys = ['row-0', 'row-1'].map((id) => account.home.keys.record('b', id));
    for (const key of keys) await damage(key);
    const program = [process.execPath, '--import', 'tsx', 'src/cli/main.ts', 'ledger', 'repair'];
    const env = { ...process.env, CALLSHEET_BASE_URL: emulator.url, CALLSHEET_DATA: join(cwd, 'data') };
    spawnSync('sh', ['-c', '"$@" | :', 'sh', ...program], { env, stdio: 'ignore' });
    for (const key of keys) expect(await account.home.store.size(key)).toBeUndefined();
  });

  test.each(['batch.json', 'current.json'] as const)(
    '%s is gone: verify names it, and after repair the batch is known',
    async (name) => {
      const key = DOCUMENTS[name]?.() ?? '';
      await account.home.store.remove(key);
      expect((await run(['status', 'b'])).stderr).toContain("has no batch 'b'");
      const { exitCode, stdout, stderr } = await run(['ledger', 'verify']);
      expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`damaged  ${key}: `)]);
      expect([stdout, stderr]).toEqual([
        expect.stringContaining('not there, beside the rest of its batch'),
        expect.stringContaining('ledger repair'),
      ]);
      expect(await account.home.store.size(key)).toBeUndefined();
      const repaired = await run(['ledger', 'repair']);
      if (name === 'batch.json') expect([repaired.exitCode, repaired.stdout]).toEqual([0, `rebuilt  ${key}\n`]);
      else expect(repaired.stdout).toBe(`left  ${key}: run its manifest again, which writes it anew\n`);
      expect(JSON.parse((await run(['status', 'b', '--json'])).stdout).rows).toBe(2);
    },
  );

  test('another place than the one of its options: both documents are named, and no other name for the batch', async () => {
    const { store, keys } = account.home;
    await store.put(keys.batch('b'), encodeJson({ schema: 1, out: join(cwd, 'oud'), createdAtMs: 1 }));
    writeFileSync(join(cwd, 'b.csv'), 'id,kind,model,prompt,width,height\na,svc/image,svc-alpha.2-klein-4b,x,64,64\n');
    const { exitCode, stderr } = await run(['plan', 'b.csv']);
    const [is, asked] = [keys.batch('b'), keys.options('b')];
    const named = `writes to oud (data/home/${is}), not to out (data/home/${asked}): set right`;
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(named)]);
    expect(stderr).not.toContain('--name');
  });

  test('where a batch writes to is told by its options, and the other way round', async () => {
    await damage(account.home.keys.batch('b'));
    expect(await account.home.readBatch('b')).toEqual({ schema: 1, out: join(cwd, 'out'), createdAtMs: 1 });
    expect((await run(['ledger', 'repair'])).stdout).toMatch(/^rebuilt /);
    await damage(account.home.keys.options('b'));
    expect((await readBatchOptions(account.home, 'b')).out).toBe(join(cwd, 'out'));
  });

  test('what the rows are is counted from the rows', async () => {
    const before = await account.rows.generation('b', generation);
    await damage(account.home.keys.generationFacts('b', generation));
    expect(await account.rows.generation('b', generation)).toEqual({
      ...before,
      columns: ['id', 'kind', 'prompt'],
      createdAtMs: 0,
    });
  });

  test('an entry of the book may have been anything that its attempt could cost', async () => {
    await account.book.append({
      ...{ batch: 'b', id: 'row-1', n: 1, kind: 'svc/image', end: 'charged' },
      ...{ claimedAtMs: 1_000, endedAtMs: 2_000, lo: 5, hi: 5 },
    });
    await damage(account.home.keys.charge({ batch: 'b', id: 'row-1', n: 1 }, 2_000));
    const fresh = openAccountRecords(account.home.store, account.home.account);
    const { value } = await fresh.book.each(0).next();
    expect(value).toMatchObject({ end: 'undecided', lo: 0, hi: 2_000, endedAtMs: 599_999 });
  });

  test('trust that cannot be read is none, a price is forgotten, the checkpoint before tells the balance', async () => {
    await damage(account.home.keys.trust(1, 'a'));
    await damage(account.home.keys.prices);
    await damage(account.home.keys.balance(6, 'a'));
    expect(await isTrusted(account.home)).toBe(false);
    expect(await readMeasuredPrices(account.home)).toEqual([]);
    expect(await account.home.latestCheckpoint()).toMatchObject({ atMs: 5, balanceNano: 7 });
  });

  test('an account that was damaged is bound anew', async () => {
    await damage(account.home.keys.account);
    await account.home.bindBaseUrl(emulator.url);
    expect(await account.home.baseUrl()).toBe(emulator.url);
  });
});
