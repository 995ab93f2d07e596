import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import type { DownloadOnce } from '../../activities/download.js';
import { createSaveAtOnce } from '../../activities/files/save-at-once.js';
import { withOutput } from '../../activities/row/submit-guard.js';
import type { SubmitResult } from '../../src/contract/attempts.js';

const row = { batch: 'films', generation: 'g', part: 0, index: 0, id: 'a', kind: 'svc/image' as const };
const done: SubmitResult = { outcome: 'standing', n: 1, standing: 'done', released: true };

function saving(download: DownloadOnce) {
  const deps = { now: () => 0, log: { info: () => undefined } } as unknown as Dependencies;
  const save = createSaveAtOnce(deps, download);
  return (sent: SubmitResult): Promise<SubmitResult> =>
    new MockActivityEnvironment().run(() => withOutput(save, row, sent)) as Promise<SubmitResult>;
}

describe('an output that is saved by the activity that heard of it', () => {
  it('ends its row, whose slot was given back before', async () => {
    const send = saving(async () => ({ outcome: 'done' }));
    expect(await send(done)).toEqual({ outcome: 'ended', status: 'done', released: true });
    const lost = saving(async () => ({ outcome: 'ended', status: 'lost_paid' }));
    expect(await lost(done)).toEqual({ outcome: 'ended', status: 'lost_paid', released: true });
  });

  it('is left to the activity that tries on where one try does not bring it', async () => {
    const broken = saving(async () => Promise.reject(new Error('the connection broke')));
    expect(await broken(done)).toEqual(done);
    const gone = saving(async () => ({ outcome: 'ask', tries: 1, sinceMs: 0 }));
    expect(await gone(done)).toEqual(done);
  });

  it('is not asked for what did not render', async () => {
    const send = saving(() => Promise.reject(new Error('nothing to save')));
    const created: SubmitResult = { outcome: 'standing', n: 1, standing: 'created' };
    expect(await send(created)).toEqual(created);
  });

  it('does not begin while its slot is not given back: the job does that first', async () => {
    const send = saving(async () => ({ outcome: 'done' }));
    const held: SubmitResult = { outcome: 'standing', n: 1, standing: 'done' };
    expect(await send(held)).toEqual(held);
  });

  it('gives a sign of life before anything else: the answer may have taken as long as a silent activity has', async () => {
    const seen: string[] = [];
    const deps = { now: () => 0, log: { info: () => undefined } } as unknown as Dependencies;
    const save = createSaveAtOnce(deps, async () => {
      seen.push('download');
      return { outcome: 'done' };
    });
    const environment = new MockActivityEnvironment();
    environment.on('heartbeat', () => seen.push('heartbeat'));
    await environment.run(() => save({ row, n: 1 }));
    expect(seen).toEqual(['heartbeat', 'download']);
  });

  it('takes eight at once; more are left to the queue of downloads', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const send = saving(async () => {
      await opened;
      return { outcome: 'done' };
    });
    const eight = Array.from({ length: 8 }, () => send(done));
    expect(await send(done)).toEqual(done);
    open();
    expect((await Promise.all(eight)).map(({ outcome }) => outcome)).toEqual(Array(8).fill('ended'));
    expect(await send(done)).toMatchObject({ outcome: 'ended' });
  });
});
