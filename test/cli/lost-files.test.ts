import { rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pc from 'picocolors';
import { beforeEach, describe, expect, it } from 'vitest';
import { closeBatch } from '../../src/cli/batch/close-batch.js';
import {
  type LostFile,
  lostFileLines,
  mayComeAgain,
  type OutputCheck,
  openOutputCheck,
} from '../../src/cli/batch/lost-files.js';
import type { Config } from '../../src/config.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { noCounts, type RowRecord } from '../../src/domain/outcome.js';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { sha256 } from '../download/broken-server.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { rowRecord } from '../support/row-record.js';
import { seededHome } from './seeded-home.js';

const hint = (words: string) => `callsheet ${words}`;
const HOUR_MS = 3_600_000;
const BYTES = Buffer.from('a film');

function record(change: Partial<RowRecord> = {}): RowRecord {
  const file = { file: 'media/a.png', contentType: 'image/png', bytes: BYTES.length, sha256: sha256(BYTES) };
  return rowRecord({ files: [file], finishedAtMs: Date.now(), ...change });
}

describe('F46a: what became of the files of a finished row', () => {
  let path: string;
  let check: OutputCheck;
  beforeEach(async () => {
    const out = temporaryFolder();
    path = join(out, 'b', 'media', 'a.png');
    await mkdir(join(out, 'b', 'media'), { recursive: true });
    writeFileSync(path, BYTES);
    check = openOutputCheck({ s3: DEFAULT_S3 } as Config, out, 'b');
  });
  const later = new Date(Date.now() + HOUR_MS);

  it('is as it was, also where it was touched and not changed', async () => {
    expect(await check.flaw(record())).toBeUndefined();
    utimesSync(path, later, later);
    expect(await check.flaw(record())).toBeUndefined();
  });

  it('is another one by its size, or by its bytes when its time is later', async () => {
    writeFileSync(path, 'a filn');
    utimesSync(path, later, later);
    expect(await check.flaw(record())).toEqual({ file: 'media/a.png', flaw: 'changed' });
    writeFileSync(path, 'a longer film');
    expect(await check.flaw(record())).toEqual({ file: 'media/a.png', flaw: 'changed' });
  });

  it('is not known where the drive does not say: nothing is taken for gone', async () => {
    rmSync(dirname(path), { recursive: true });
    symlinkSync('media', dirname(path));
    await expect(check.flaw(record())).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('is gone', async () => {
    rmSync(path);
    expect(await check.flaw(record())).toEqual({ file: 'media/a.png', flaw: 'gone' });
  });
});

describe('F46a: whether a file may come again', () => {
  const blobs = new Set(['kept']);
  const access = { home: { hasBlob: async (sha: string) => blobs.has(sha) }, config: { timeScale: 1 } };
  const at = (nowMs: number, kind: RowRecord['kind'], ...states: AttemptState[]) =>
    mayComeAgain(access as never, record({ kind }), [{ n: 1, states, torn: false }], nowMs);
  const done = (outputs: { url?: string; blobSha256?: string }[]): AttemptState => ({
    ...{ state: 'done', atMs: 0, outputs, facts: {} },
  });

  it('while its URL or handle may live, counted from when it was there first', async () => {
    const url = done([{ url: 'https://x' }]);
    expect(await at(167 * HOUR_MS, 'svc/image', url)).toBe(true);
    expect(await at(169 * HOUR_MS, 'svc/image', url)).toBe(false);
    const fresh: AttemptState = { state: 'rendered', atMs: 20 * HOUR_MS, outputs: [], facts: {} };
    expect(await at(25 * HOUR_MS, 'vendor-d/video', { ...fresh, atMs: 0 }, fresh)).toBe(false);
  });

  it('as long as its bytes are in the home', async () => {
    expect(await at(9_999 * HOUR_MS, 'svc/image', done([{ blobSha256: 'kept' }]))).toBe(true);
    expect(await at(1, 'svc/image', done([{ blobSha256: 'removed' }]))).toBe(false);
  });

  it('never for a row that only shares the render of another: nothing is submitted for a lost file', async () => {
    expect(await mayComeAgain(access as never, record({ attempts: 0 }), [], 0)).toBe(false);
  });

  it('is said in words that tell what to do', () => {
    const one = { record: record(), file: 'media/a.png', flaw: 'gone' as const };
    expect(lostFileLines([], '/out/b', hint)).toEqual([]);
    expect(lostFileLines([{ ...one, mayComeAgain: true }], '/out/b', hint)).toEqual([
      '1 finished row has no longer the file that was stored in /out/b: media/a.png (gone): fetched again',
    ]);
    const over = { ...one, mayComeAgain: false };
    expect(lostFileLines([over], 's3://bucket/out/b', hint)[0]).toContain(
      'nothing gives it any more: put a copy back, or `callsheet rerun b a` renders it again (costs again)',
    );
    expect(lostFileLines([over, over], '/out/b', hint)[0]).toContain(
      'or `callsheet rerun b a` renders the first again',
    );
  });
});

it('F46a: a file that nothing gives any more needs a person, by the exit code and by the JSON alike', async () => {
  const home = await seededHome('b', [{ id: 'one', record: {} }]);
  const terminal = { note: () => undefined, colors: pc.createColors(false) };
  const session = { terminal, config: { account: { name: 'seeded' } }, origins: new Map() } as never;
  const generation = (await home.rows.currentGeneration('b')) ?? '';
  const close = async (lost: LostFile[]) => {
    const told: number[] = [];
    const events = {
      finished: (_: unknown, { exitCode }: { exitCode: number }) => told.push(exitCode),
      written: () => {},
    };
    const result = { counts: { ...noCounts(), done: 1 }, creditsNano: 0, creditsUnknown: 0 };
    const facts = { batch: 'b', generation, out: '/out', result, finishedBefore: undefined, tookMs: undefined, lost };
    return [await closeBatch({ session, access: home, events, ...facts } as never), ...told];
  };
  const gone = { record: record(), file: 'media/a.png', flaw: 'gone' as const };
  expect(await close([])).toEqual([0, 0]);
  expect(await close([{ ...gone, mayComeAgain: true }])).toEqual([0, 0]);
  expect(await close([{ ...gone, mayComeAgain: false }])).toEqual([3, 3]);
});
