import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openDependencies } from '../../activities/dependencies.js';
import { downloadActivities } from '../../activities/download.js';
import { fedRowActivities } from '../../activities/fed-rows.js';
import { rowActivities } from '../../activities/rows.js';
import { shareActivities } from '../../activities/share.js';
import type { DownloadInput, LateOutputInput } from '../../src/contract/attempts.js';
import type { OutputBlocked, RowFinished } from '../../src/contract/messages.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { Row } from '../../src/domain/row.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { writeBatchOptions, writeBatchOrder } from '../../src/home/batch-order.js';
import { landedBatches } from '../../src/home/late-outputs.js';
import { keepRenders } from '../../src/home/past-renders.js';
import { resultLines } from '../../src/home/result-lines.js';
import { clearFollowers } from '../../src/home/row-orders.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { emptyTally, tallyResults } from '../../src/home/upstream.js';
import { createDownloader } from '../../src/service/download.js';
import { createTransport } from '../../src/service/transport.js';
import { createFolderStore } from '../../src/store/folder.js';
import { type Answer, serve, sha256, status, whole } from '../download/broken-server.js';
import { intent } from '../home/support/examples.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { editRow, fed } from '../support/chain-rows.js';
import { silent } from '../support/silent-log.js';

const PNG = readFileSync(join(import.meta.dirname, '../store/fixtures/a.png'));
const HTML = Buffer.from('<!doctype html><html></html>');
function imageRow(id: string, change: Partial<Row> = {}): Row {
  const cells = { model: 'svc-alpha.2-klein-4b', prompt: `picture ${id}`, width: 320, height: 200 };
  return { index: 0, line: 2, id, kind: 'svc/image', stem: id, cells, media: {}, hash: `hash-${id}`, ...change };
}

const WAITS = {
  lambdaMs: 120_000,
  thetaMs: 180_000,
  syncMaxMs: 900_000,
  rhoMs: 1_800_000,
  renderMaxMs: { default: 1 },
};
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
  const finished: RowFinished[] = [];
  const late: LateOutputInput[] = [];
  const rewritten: string[] = [];
  let batchRuns = true;
  const deps = openDependencies({
    settings: { account: 'a', timeScale: 1, prices: [], waits: WAITS } as never,
    ...account,
    transport,
    downloader,
    isS3Reachable: false,
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
      startJob: async () => true,
      acquireFor: async () => undefined,
      withdraw: async () => undefined,
      granted: async () => true,
      rowFinished: async (_, report) => {
        finished.push(report);
        return batchRuns;
      },
      pauseBatch: async () => undefined,
      outputBlocked: async (_, what) => {
        blocked.push(what);
      },
      outcomeKnown: async () => true,
      reopen: async () => true,
      release: async () => true,
      isBatchOpen: async () => true,
      confirmLate: async () => undefined,
      fetchLate: async (input) => {
        late.push(input);
      },
      rewriteResults: async (batch) => {
        rewritten.push(batch);
      },
      areOpen: async () => [],
    },
    keyMark: () => 'one',
    log: silent,
    requests: { turn: async () => 0, leaves: () => undefined },
    onCaps: () => undefined,
    onAnswered: () => undefined,
    now: () => Date.now(),
    callers: { own: null, isGone: () => false },
    monotonic: () => performance.now(),
  });
  const options = { onExists: 'fail', responseFormat: 'url', manifestFolder: folder, maxOutputBytes: 1e9 } as const;
  await writeBatchOptions(home, 'b', { schema: 1, out, sidecar: true, ...options });
  const writer = createRowsWriter(store, 'a', 'b');
  for (const [index, row] of rows.entries()) await writer.add({ row: { ...row, index }, raw: {} });
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  const first = rows[0]?.id ?? '';
  const place = { generation, part: 0, index: 0 };
  await deps.ledger.claim({ batch: 'b', id: first, n: 1 }, intent({ ...place, rowHash: rows[0]?.hash ?? '' }));
  const done = { state: 'done', atMs: Date.now(), outputs: [{ url: server.url }], facts: { seed: 3 } } as const;
  await deps.ledger.append({ batch: 'b', id: first, n: 1 }, { ...done, outputs: [...done.outputs] });
  const refOf = (index: number) => ({
    batch: 'b',
    generation,
    part: 0,
    index,
    id: rows[index]?.id ?? '',
    kind: 'svc/image' as const,
  });
  return {
    out,
    deps,
    blocked,
    server,
    finished,
    late,
    rewritten,
    endBatch: () => {
      batchRuns = false;
    },
    refOf,
    place,
    download: (heartbeatDetails?: unknown, change: Partial<DownloadInput> = {}) =>
      new MockActivityEnvironment({ heartbeatDetails } as never).run(downloadActivities(deps).download, {
        row: refOf(0),
        n: 1,
        ...change,
      }),
    share: (index: number) =>
      new MockActivityEnvironment().run(shareActivities(deps).shareOutput, { row: refOf(index) }),
    record: (id: string) => deps.records.readRecord('b', id),
    orderRetry: () =>
      writeBatchOrder(home, 'b', {
        limits: { maxCreditsNano: null, maxFailures: null },
        policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
        retry: { beforeMs: Date.now() + 1, classes: [] },
      }),
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

  test('what was sent decides which file may come: its row may have become another kind in the manifest', async () => {
    const cells = { model: 'vendor-f-3.1-lite-generate-preview', prompt: 'steps', duration: 6 };
    const one = await stand([imageRow('r', { kind: 'vendor-f/video', cells })], whole({}, PNG));
    expect(await one.download()).toEqual({ outcome: 'done' });
    expect(await one.record('r')).toMatchObject({ files: [{ file: 'media/r.png', contentType: 'image/png' }] });
  });

  test('F45: a store that refuses is told once, waited for without limit, and nothing is given up', async () => {
    const one = await stand([imageRow('r')], whole({}, PNG));
    mkdirSync(join(one.out, 'b'), { recursive: true });
    writeFileSync(join(one.out, 'b/media'), 'a file where the folder must be');
    const tries = { tries: 500, sinceMs: 0, blocked: 3, code: 'ENOTDIR' };
    await expect(one.download()).rejects.toMatchObject({ type: 'output.unavailable' });
    await expect(one.download(tries)).rejects.toMatchObject({ type: 'output.unavailable' });
    expect(one.blocked).toEqual([{ id: 'r', code: 'ENOTDIR' }]);
    rmSync(join(one.out, 'b/media'));
    expect(await one.download(tries)).toEqual({ outcome: 'done' });
  });

  test('F45: a try for which the disk has no room keeps no connection', async () => {
    const closed: string[] = [];
    const one = await stand([imageRow('r')], (_, response) => {
      response.on('close', () => closed.push('closed'));
      response.writeHead(200, { 'content-length': 2 ** 26 }).end(Buffer.alloc(2 ** 26));
    });
    const { openStore } = one.deps;
    one.deps.openStore = (location) => ({ ...openStore(location), freeBytes: async () => 4_096 });
    for (const _ of [1, 2]) await expect(one.download()).rejects.toMatchObject({ type: 'output.unavailable' });
    expect(one.blocked).toMatchObject([{ code: 'ENOSPC' }, { code: 'ENOSPC' }]);
    await vi.waitUntil(() => closed.length === 2, 3_000);
  });

  const MINUTE_MS = 60_000;
  const DAY_MS = 24 * 60 * MINUTE_MS;
  const since = (sinceMs: number, tries = 9) => ({ tries, sinceMs, blocked: 0, code: null });

  test.each([
    ['403', status(403)],
    ['404', status(404)],
    ['410', status(410)],
    ['HTML with 200', whole({}, HTML)],
    ['a redirect to a private address', status(302, { location: 'https://10.0.0.1/x' })],
    ['503', status(503)],
  ])('F40, 4-U13, 5-X2: %s once is tried again, whatever the row was paid with', async (_, answer) => {
    const one = await stand([imageRow('r')], answer, whole({}, PNG));
    await expect(one.download()).rejects.toMatchObject({ type: 'download.interrupted', nextRetryDelay: 2_000 });
    expect(await one.record('r')).toBeUndefined();
    expect(await one.download(since(Date.now(), 1))).toEqual({ outcome: 'done' });
  });

  test('F40: after a quarter of an hour the row ends as `output_pending` and the output is fetched on', async () => {
    const one = await stand([imageRow('r')], whole({}, HTML));
    const sinceMs = Date.now() - 16 * MINUTE_MS;
    expect(await one.download(since(sinceMs))).toEqual({ outcome: 'ended', status: 'review' });
    const record = await one.record('r');
    expect(record).toMatchObject({ status: 'review', reasonCode: 'output_pending', files: [] });
    expect(record?.reason).toBe(
      "expected image, got an HTML page; tried 10 times in 16 min, the last try ended with 'not_media'",
    );
    const before = { tries: 10, sinceMs, asks: 0, askedAtMs: 0 };
    expect(one.late).toEqual([{ account: 'a', row: one.refOf(0), n: 1, timeScale: 1, before }]);
  });

  test('a file that comes late corrects the record, the counts, and the results of a batch that has ended', async () => {
    const one = await stand([imageRow('r')], status(403), whole({}, PNG));
    await one.download(since(Date.now() - 16 * MINUTE_MS));
    one.endBatch();
    expect(await one.download(undefined, { isLate: true })).toEqual({ outcome: 'done' });
    expect(await one.record('r')).toMatchObject({ status: 'done', files: [{ file: 'media/r.png' }] });
    expect(one.finished.at(-1)).toMatchObject({ id: 'r', status: 'done', was: { status: 'review' } });
    expect(one.rewritten).toEqual(['b']);
    // A try that wrote the record and died is repeated: it has nothing to do but to see that the results are right.
    expect(await one.download(undefined, { isLate: true })).toEqual({ outcome: 'done' });
    expect(one.rewritten).toEqual(['b', 'b']);
  });

  test('F40: what a row feeds whose file comes late is begun by nobody but a person, and is not open', async () => {
    const edit = { ...editRow('edit', fed('hero', 0)), index: 1 };
    const one = await stand([imageRow('hero'), edit], status(403), whole({}, PNG));
    const { deps } = one;
    await one.download(since(Date.now() - 16 * MINUTE_MS));
    expect(await one.download(undefined, { isLate: true })).toEqual({ outcome: 'done' });
    const { generation } = one.refOf(0);
    const asked = { batch: 'b', generation, limit: 5, retry: null, roomNano: null };
    const cursor = { part: 0, index: 0 };
    const opened = async () => {
      const { pageRows } = rowActivities(deps);
      const page = await pageRows({ ...asked, cursor });
      const rescan = await pageRows({ ...asked, cursor, isHeldOnly: true });
      const fed = await fedRowActivities(deps).fedRows({ ...asked, cursor: null, feeders: [{ index: 0, seen: 0 }] });
      return [...page.entries, ...rescan.entries, ...fed.rows.map(({ entry }) => entry)].map(({ id }) => id);
    };
    const tally = async () => {
      const sum = emptyTally();
      await tallyResults(resultLines(deps, 'b', generation), sum);
      return [sum.open, sum.counts.not_started];
    };
    expect([await opened(), await tally()]).toEqual([[], [0, 1]]);
    expect(await landedBatches(deps.home)).toEqual(['b']);
    await clearFollowers(deps.home, 'b');
    expect([await opened(), await tally()]).toEqual([
      ['edit', 'edit', 'edit'],
      [1, 0],
    ]);
    expect(await landedBatches(deps.home)).toEqual([]);
  });

  test('a late try goes on without end while the URL may live, and then the row is lost', async () => {
    const one = await stand([imageRow('r')], status(403));
    const sinceMs = Date.now();
    await one.download(since(sinceMs - 16 * MINUTE_MS));
    const late = (tries: number) => one.download(since(sinceMs, tries), { isLate: true });
    await expect(late(30)).rejects.toMatchObject({ nextRetryDelay: 10 * MINUTE_MS });
    one.deps.now = () => sinceMs + 6.9 * DAY_MS;
    await expect(late(900)).rejects.toMatchObject({ type: 'download.interrupted' });
    one.deps.now = () => sinceMs + 7.1 * DAY_MS;
    expect(await late(930)).toEqual({ outcome: 'ended', status: 'lost_paid' });
    expect(await one.record('r')).toMatchObject({ status: 'lost_paid', reasonCode: 'output_expired' });
  });

  test('a late output of a job that is over is not waited for without end where its host is silent', async () => {
    const one = await stand([imageRow('r', { kind: 'vendor-f/video' })], status(503));
    const sinceMs = Date.now();
    const ref = { batch: 'b', id: 'r', n: 2 };
    await one.deps.ledger.claim(ref, intent({ ...one.place, kind: 'vendor-f/video', rowHash: 'hash-r' }));
    const states: AttemptState[] = [
      { state: 'created', atMs: sinceMs, handle: 'h' },
      { state: 'rendered', atMs: sinceMs, outputs: [{ url: one.server.url }], facts: {} },
      { state: 'ended', atMs: sinceMs, word: 'expired', message: 'gone' },
    ];
    for (const state of states) await one.deps.ledger.append(ref, state);
    await one.download(since(sinceMs - 16 * MINUTE_MS), { n: 2 });
    expect(await one.record('r')).toMatchObject({ reasonCode: 'output_pending' });
    one.deps.now = () => sinceMs + 6.9 * DAY_MS;
    const late = () => one.download(since(sinceMs, 900), { n: 2, isLate: true });
    await expect(late()).rejects.toMatchObject({ type: 'download.interrupted' });
    one.deps.now = () => sinceMs + 7.1 * DAY_MS;
    expect(await late()).toEqual({ outcome: 'ended', status: 'lost_paid' });
  });

  test('bytes that came in the answer and are no known file are kept for a person, who is told where', async () => {
    const one = await stand([imageRow('r')], status(403));
    const blobSha256 = await one.deps.home.putBlob(HTML);
    const ref = { batch: 'b', id: 'r', n: 2 };
    await one.deps.ledger.claim(ref, intent({ ...one.place, rowHash: 'hash-r' }));
    await one.deps.ledger.append(ref, { state: 'done', atMs: Date.now(), outputs: [{ blobSha256 }], facts: {} });
    const late = one.download(since(Date.now(), 9), { n: 2 });
    expect(await late).toEqual({ outcome: 'ended', status: 'review' });
    const record = await one.record('r');
    expect(record).toMatchObject({ reasonCode: 'output_rejected' });
    const [, place = ''] =
      /^expected image, got an HTML page; what came is kept as (.+)$/.exec(record?.reason ?? '') ?? [];
    expect(readFileSync(place)).toEqual(HTML);
  });

  async function withBoth(bytes: Buffer, answer: Answer, atMs = Date.now()) {
    const one = await stand([imageRow('r')], answer);
    const blobSha256 = await one.deps.home.putBlob(bytes);
    const ref = { batch: 'b', id: 'r', n: 2 };
    await one.deps.ledger.claim(ref, intent({ ...one.place, rowHash: 'hash-r' }));
    const outputs = [{ url: one.server.url, blobSha256 }];
    await one.deps.ledger.append(ref, { state: 'done', atMs, outputs, facts: {} });
    return one;
  }

  test('a URL beside bytes that are in hand is not asked; it stands in for bytes that are no output', async () => {
    const dead = await withBoth(PNG, status(404));
    expect(await dead.download(undefined, { n: 2 })).toEqual({ outcome: 'done' });
    expect(await dead.record('r')).toMatchObject({ status: 'done', files: [{ sha256: sha256(PNG) }] });
    const alive = await withBoth(HTML, whole({}, PNG));
    expect(await alive.download(undefined, { n: 2 })).toEqual({ outcome: 'done' });
    const neither = await withBoth(HTML, status(404));
    await expect(neither.download(undefined, { n: 2 })).rejects.toMatchObject({ type: 'download.interrupted' });
    const longAgoMs = Date.now() - 30 * DAY_MS;
    const over = await withBoth(HTML, status(404), longAgoMs);
    expect(await over.download(since(longAgoMs), { n: 2 })).toEqual({ outcome: 'ended', status: 'review' });
    expect((await over.record('r'))?.reason).toContain('what came is kept as ');
  });

  /** The row was done; then its output folder was away, so that its output is waited for once more. */
  async function unmounted(...then: Answer[]) {
    const one = await stand([imageRow('r')], whole({}, PNG), status(403), ...then);
    await one.download();
    const done = await one.record('r');
    if (done === undefined) throw new Error('the row has no record');
    rmSync(join(one.out, 'b/media/r.png'));
    const awaited: RowRecord = { ...done, status: 'review', reasonCode: 'output_pending', files: [] };
    await one.deps.records.writeRecord('b', keepRenders(done, awaited, awaited));
    return { ...one, done, putBack: () => writeFileSync(join(one.out, 'b/media/r.png'), PNG) };
  }

  test('F46a: what was stored is known while it is fetched again and once it is lost, and is taken when it lies there', async () => {
    const one = await unmounted();
    expect(await one.download()).toEqual({ outcome: 'ended', status: 'review' });
    one.deps.now = () => Date.now() + 7.1 * DAY_MS;
    expect(await one.download(since(Date.now(), 930), { isLate: true })).toEqual({
      outcome: 'ended',
      status: 'lost_paid',
    });
    const lost = await one.record('r');
    expect(lost).toMatchObject({ status: 'lost_paid', reasonCode: 'output_expired', files: [] });
    const asked = one.server.requests.length;
    one.putBack();
    expect(await one.download()).toEqual({ outcome: 'done' });
    expect(one.server.requests).toHaveLength(asked);
    expect(await one.record('r')).toEqual({ ...one.done, seenStates: lost?.seenStates });
    expect(one.finished.at(-1)).toMatchObject({ id: 'r', status: 'done' });
  });

  test('F46a: a late try takes the stored file as it lies, and corrects the results of a batch that has ended', async () => {
    const one = await unmounted();
    one.endBatch();
    one.putBack();
    expect(await one.download(undefined, { isLate: true })).toEqual({ outcome: 'done' });
    expect(one.server.requests).toHaveLength(1);
    expect(await one.record('r')).toEqual(one.done);
    expect(one.finished.at(-1)).toMatchObject({ id: 'r', status: 'done', was: { status: 'review' } });
    expect(one.rewritten).toEqual(['b']);
  });

  test('F46a: another file at its place is not taken for the stored one', async () => {
    const one = await unmounted();
    writeFileSync(join(one.out, 'b/media/r.png'), Buffer.alloc(PNG.length));
    expect(await one.download()).toEqual({ outcome: 'ended', status: 'review' });
    expect(await one.record('r')).toMatchObject({ reasonCode: 'output_pending', files: [] });
  });

  test('F46a: a changed file stays however many tries fail, and what is fetched at last has a name of its own', async () => {
    const one = await unmounted(whole({}, PNG));
    writeFileSync(join(one.out, 'b/media/r.png'), 'retouched');
    expect(await one.download()).toEqual({ outcome: 'ended', status: 'review' });
    expect(await one.download()).toEqual({ outcome: 'done' });
    expect((await one.record('r'))?.files).toMatchObject([{ file: 'media/r.v2.png' }]);
    expect(readFileSync(join(one.out, 'b/media/r.png'), 'utf8')).toBe('retouched');
  });

  /** v1 was done, then v2 by order; the values of v1 are back, and its URL is no more. */
  async function oldValuesBack(change: Partial<RowRecord>) {
    const one = await stand([imageRow('r')], whole({}, PNG), status(404));
    await one.download();
    const v1 = await one.record('r');
    if (v1 === undefined) throw new Error('the row has no record');
    const ref = { batch: 'b', id: 'r', n: 2 };
    const atMs = Date.now() + 1;
    await one.deps.ledger.claim(ref, intent({ ...one.place, atMs, rowHash: 'hash-v2' }));
    await one.deps.ledger.append(ref, { state: 'done', atMs, outputs: [{ url: one.server.url }], facts: {} });
    const v2: RowRecord = { ...v1, files: [], attempts: 2, submittedAtMs: atMs, rowHash: 'hash-v2', ...change };
    await one.deps.records.writeRecord('b', keepRenders(v1, v2, v2));
    one.deps.now = () => Date.now() + 8 * DAY_MS;
    return { ...one, v1 };
  }

  test.each<[string, Partial<RowRecord>]>([
    ['done', { files: [{ file: 'media/r.v2.png', contentType: 'image/png', bytes: 9, sha256: 'a'.repeat(64) }] }],
    ['failed', { status: 'failed', reasonCode: 'render_failed' }],
  ])('B48: with old values back after others were %s a row has the file that was paid for', async (_, change) => {
    const one = await oldValuesBack(change);
    expect(await one.download(since(Date.now() - 30 * DAY_MS))).toEqual({ outcome: 'done' });
    expect(one.server.requests).toHaveLength(1);
    const { files, warnings, submittedAtMs, rowHash } = one.v1;
    const record = await one.record('r');
    expect(record).toMatchObject({ status: 'done', files, warnings, submittedAtMs, rowHash, attempts: 2 });
    const past = (record?.pastRenders ?? []).flatMap((render) => render.files.map(({ file }) => file));
    expect(past).toEqual((change.files ?? []).map(({ file }) => file));
  });

  test('B48: with old values back a file that was changed since is not taken', async () => {
    const one = await oldValuesBack({ status: 'failed', reasonCode: 'render_failed' });
    writeFileSync(join(one.out, 'b/media/r.png'), 'retouched');
    expect(await one.download(since(Date.now() - 30 * DAY_MS))).toEqual({ outcome: 'ended', status: 'lost_paid' });
  });

  test('a row that a person settled meanwhile is left alone', async () => {
    const one = await stand([imageRow('r')], status(403), whole({}, PNG));
    await one.download(since(Date.now() - 16 * MINUTE_MS));
    const record = await one.record('r');
    if (record) await one.deps.records.writeRecord('b', { ...record, status: 'lost_paid', reasonCode: 'marked_lost' });
    expect(await one.download(undefined, { isLate: true })).toEqual({ outcome: 'done' });
    expect(await one.record('r')).toMatchObject({ reasonCode: 'marked_lost', files: [] });
  });

  test('a row that waited before is tried once by the next `run`, without another quarter of an hour', async () => {
    const one = await stand([imageRow('r')], status(403));
    await one.download(since(Date.now() - 16 * MINUTE_MS));
    expect(await one.download()).toEqual({ outcome: 'ended', status: 'review' });
    expect(one.late).toHaveLength(2);
  });

  test('F40: what a person had paid again has a quarter of an hour of its own', async () => {
    const one = await stand([imageRow('r')], status(403));
    await one.download(since(Date.now() - 16 * MINUTE_MS));
    const [first, second] = [1, 2].map((n) => ({ batch: 'b', id: 'r', n }));
    if (!first || !second) throw new Error('two attempts');
    const by = { who: 'somebody' };
    await one.deps.ledger.append(first, { state: 'overridden', atMs: Date.now(), cause: 'person', by });
    await one.deps.ledger.claim(second, intent({ ...one.place, atMs: Date.now(), rowHash: 'hash-r' }));
    const outputs = [{ url: one.server.url }];
    await one.deps.ledger.append(second, { state: 'done', atMs: Date.now(), outputs, facts: {} });
    await expect(one.download(undefined, { n: 2 })).rejects.toMatchObject({ type: 'download.interrupted' });
    expect(one.late).toHaveLength(1);
  });

  test('5-X2e: a whole file with bytes after its end is kept as it came, and the doubt is a warning', async () => {
    const one = await stand([imageRow('r')], whole({}, Buffer.concat([PNG, Buffer.alloc(1_024)])));
    expect(await one.download()).toEqual({ outcome: 'done' });
    const record = await one.record('r');
    expect(record).toMatchObject({ status: 'done', files: [{ bytes: PNG.length + 1_024 }] });
    expect(record?.warnings).toContain('kept as it came: 1024 bytes follow the end of the png file');
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

  test('a copy that was made stays one, though its word was lost and the first file was changed since', async () => {
    const one = await stand(rows(), whole({}, PNG));
    await one.download();
    expect(await one.share(1)).toEqual({ status: 'done' });
    writeFileSync(join(one.out, 'b/media/r.png'), 'retouched');
    expect(await one.share(1)).toEqual({ status: 'done' });
    expect(await one.record('s')).toMatchObject({
      status: 'done',
      files: [{ file: 'media/s.png', sha256: sha256(PNG) }],
    });
    writeFileSync(join(one.out, 'b/media/s.png'), 'retouched');
    expect(await one.share(1)).toEqual({ status: 'done' });
  });

  test('end unpaid when it brings nothing, and again where their word was lost; a retry that somebody ordered runs them', async () => {
    const one = await stand(rows(), whole({}, HTML));
    await one.download({ tries: 9, sinceMs: Date.now() - 3_600_000, blocked: 0, code: null });
    expect(await one.share(1)).toEqual({ status: 'failed' });
    expect(await one.record('s')).toMatchObject({ reasonCode: 'shared_row_failed', creditsNano: 0, attempts: 0 });
    expect(await one.share(1)).toEqual({ status: 'failed' });
    await one.orderRetry();
    expect(await one.share(1)).toEqual({ status: null });
  });
});
