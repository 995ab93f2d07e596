import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { Dependencies } from '../../src/activities/dependencies.js';
import { downloadActivities } from '../../src/activities/download.js';
import { shareActivities } from '../../src/activities/share.js';
import type { OutputBlocked } from '../../src/contract/messages.js';
import type { Row } from '../../src/domain/row.js';
import { createDownloader } from '../../src/service/download.js';
import { createTransport } from '../../src/service/transport.js';
import { openAccountRecords } from '../../src/store/account-records.js';
import { writeBatchOptions } from '../../src/store/batch-options.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createRowsWriter } from '../../src/store/rows-writer.js';
import { type Answer, serve, sha256, status, whole } from '../download/broken-server.js';
import { intent } from '../store/support/examples.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { silent } from '../support/silent-log.js';

const PNG = readFileSync(join(import.meta.dirname, '../store/fixtures/a.png'));
const HTML = Buffer.from('<!doctype html><html></html>');
function imageRow(id: string, change: Partial<Row> = {}): Row {
  const cells = { model: 'svc-alpha.2-klein-4b', prompt: `picture ${id}`, width: 320, height: 200 };
  return { index: 0, line: 2, id, kind: 'svc/image', stem: id, cells, media: {}, hash: `hash-${id}`, ...change };
}

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** One account without Temporal: rows whose result is a URL of a server that a test writes. */
async function stand(rows: Row[], ...answers: Answer[]) {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const store = createFolderStore(join(folder, 'home'));
  const account = openAccountRecords(store, 'a');
  const { home } = account;
  const server = await serve(...answers);
  const downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test' });
  const transport = createTransport({ baseUrl: 'http://127.0.0.1:9', userAgent: 'x', key: () => undefined as never });
  closing.push(async () => {
    await downloader.close();
    await transport.close();
  });
  const blocked: OutputBlocked[] = [];
  const deps: Dependencies = {
    settings: { timeScale: 1, prices: [] } as never,
    ...account,
    transport,
    downloader,
    openStore: (location) => createFolderStore(location, { access: 'shared' }),
    openInput: () => {
      throw new Error('no row here has an input in a bucket');
    },
    messenger: {
      submitted: async () => undefined,
      caseOpened: async () => undefined,
      caseEnded: async () => undefined,
      limitsRefused: async () => undefined,
      ensureSemaphore: async () => undefined,
      rowFinished: async () => true,
      outputBlocked: async (_, what) => {
        blocked.push(what);
      },
      outcomeKnown: async () => true,
      reopen: async () => true,
      release: async () => true,
      isBatchOpen: async () => true,
      rewriteResults: async () => undefined,
      areOpen: async () => [],
    },
    log: silent,
    onCaps: () => undefined,
    now: () => Date.now(),
    callers: { own: null, isGone: () => false },
    monotonic: () => performance.now(),
  };
  const options = { onExists: 'fail', responseFormat: 'url', manifestFolder: folder, maxOutputBytes: 1e9 } as const;
  await writeBatchOptions(home, 'b', { schema: 1, out, sidecar: true, ...options });
  const writer = createRowsWriter(store, 'a', 'b');
  for (const [index, row] of rows.entries()) await writer.add({ row: { ...row, index }, raw: {} });
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  const first = rows[0]?.id ?? '';
  await deps.ledger.claim({ batch: 'b', id: first, n: 1 }, intent({ rowHash: rows[0]?.hash ?? '' }));
  const done = { state: 'done', atMs: Date.now(), outputs: [{ url: server.url }], facts: { seed: 3 } } as const;
  await deps.ledger.append({ batch: 'b', id: first, n: 1 }, { ...done, outputs: [...done.outputs] });
  const refOf = (index: number) => ({ batch: 'b', generation, part: 0, index, id: rows[index]?.id ?? '', kind: 0 });
  return {
    out,
    deps,
    blocked,
    server,
    download: (heartbeatDetails?: unknown) =>
      new MockActivityEnvironment({ heartbeatDetails } as never).run(downloadActivities(deps).download, {
        row: refOf(0),
        n: 1,
      }),
    share: (index: number) =>
      new MockActivityEnvironment().run(shareActivities(deps).shareOutput, { row: refOf(index) }),
    record: (id: string) => deps.records.readRecord('b', id),
  };
}

describe('the landing of an output', () => {
  test('the file, its sidecar and its record; a wrong size is a warning', async () => {
    const one = await stand([imageRow('r')], whole({}, PNG));
    expect(await one.download()).toEqual({ outcome: 'done' });
    const record = await one.record('r');
    expect(record).toMatchObject({ status: 'done', seed: 3, files: [{ file: 'media/r.png', sha256: sha256(PNG) }] });
    expect(record?.warnings.join()).toMatch(/^the output is \d+x\d+, asked for 320x200$/);
    const sidecar = JSON.parse(readFileSync(join(one.out, 'b/media/r.png.json'), 'utf8'));
    expect(sidecar).toMatchObject({ id: 'r', seed: 3, request: { prompt: 'picture r' }, sha256: sha256(PNG) });
    expect(JSON.stringify(sidecar)).not.toMatch(/signature|secret/);
  });

  test('F45: a store that refuses is told once, waited for without limit, and nothing is given up', async () => {
    const one = await stand([imageRow('r')], whole({}, PNG));
    mkdirSync(join(one.out, 'b'), { recursive: true });
    writeFileSync(join(one.out, 'b/media'), 'a file where the folder must be');
    const tries = { tries: 500, sinceMs: 0, wrong: 0, blocked: 3, code: 'ENOTDIR' };
    await expect(one.download()).rejects.toMatchObject({ type: 'output.unavailable' });
    await expect(one.download(tries)).rejects.toMatchObject({ type: 'output.unavailable' });
    expect(one.blocked).toEqual([{ id: 'r', code: 'ENOTDIR' }]);
    rmSync(join(one.out, 'b/media'));
    expect(await one.download(tries)).toEqual({ outcome: 'done' });
  });

  test('F40: a URL that is gone says what was tried; a synchronous answer has no fresh one', async () => {
    const one = await stand([imageRow('r')], status(403));
    const tried = { tries: 1, sinceMs: expect.any(Number), why: 'expired', status: 403 };
    expect(await one.download()).toEqual({ outcome: 'expired', freshUrls: 0, tried });
  });

  test('F42: wrong bytes are tried again, and after six tries the record says what came', async () => {
    const one = await stand([imageRow('r')], whole({}, HTML));
    await expect(one.download()).rejects.toMatchObject({ type: 'download.interrupted' });
    const tries = { tries: 5, sinceMs: Date.now(), wrong: 5, blocked: 0, code: null };
    expect(await one.download(tries)).toEqual({ outcome: 'rejected', reason: 'output_rejected' });
    const record = await one.record('r');
    expect(record).toMatchObject({ status: 'lost_paid', reasonCode: 'output_rejected', files: [] });
    expect(record?.reason).toBe("expected image, got an HTML page; tried 6 times, the last try ended with 'not_media'");
  });

  test('a server in trouble is waited for while the URL lives, and after that the URL counts as gone', async () => {
    const one = await stand([imageRow('r')], status(503));
    const tries = { tries: 900, sinceMs: 0, wrong: 0, blocked: 0, code: null };
    await expect(one.download(tries)).rejects.toMatchObject({ type: 'download.interrupted' });
    const now = Date.now();
    one.deps.now = () => now + 2 * 3_600_000;
    expect(await one.download(tries)).toMatchObject({ outcome: 'expired', tried: { tries: 901, status: 503 } });
  });
});

describe('rows that share a render', () => {
  const same = { hash: 'same' };
  const rows = () => [imageRow('r', same), imageRow('s', { ...same, shares: 0 }), imageRow('t', { shares: 0 })];

  test('get copies of its files for nothing', async () => {
    const one = await stand(rows(), whole({}, PNG));
    await one.download();
    expect(await one.share(1)).toEqual({ status: 'done' });
    expect(await one.record('s')).toMatchObject({ status: 'done', attempts: 0, creditsNano: 0, seed: 3 });
    expect((await one.record('s'))?.warnings[0]).toBe('shares the render of row r');
    expect(readFileSync(join(one.out, 'b/media/s.png'))).toEqual(PNG);
    // Its hash only looks the same.
    expect(await one.share(2)).toEqual({ status: null });
  });

  test('end unpaid when it brings nothing; a retry that somebody ordered runs them', async () => {
    const one = await stand(rows(), whole({}, HTML));
    await one.download({ tries: 5, sinceMs: Date.now(), wrong: 5, blocked: 0, code: null });
    expect(await one.share(1)).toEqual({ status: 'failed' });
    expect(await one.record('s')).toMatchObject({ reasonCode: 'shared_row_failed', creditsNano: 0, attempts: 0 });
    expect(await one.share(1)).toEqual({ status: null });
  });
});
