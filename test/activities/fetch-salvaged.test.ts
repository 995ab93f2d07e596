import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it } from 'vitest';
import { resultOf } from '../../activities/row/submit-guard.js';
import { salvageActivities } from '../../activities/salvage.js';
import { slotActivities } from '../../activities/slots.js';
import { standingOf } from '../../src/domain/standing.js';
import { isNameOfAnother, takeName } from '../../src/home/handles.js';
import { createDownloader } from '../../src/service/download.js';
import { type Answer, serve, status, whole } from '../download/broken-server.js';
import { smallPng } from '../support/small-png.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

// TS: the output that a lost synchronous answer named is fetched; a whole file makes the attempt done.

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function stand(...answers: Answer[]) {
  const row = plainRow('r');
  const { deps, refOf, clock, generation } = await accountAtHand([row]);
  const server = await serve(...answers);
  const downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test' });
  closing.push(() => downloader.close());
  const ref = { batch: 'b', id: 'r', n: 1 };
  const url = `http://127.0.0.1:${server.port}/a.png`;
  await deps.ledger.claim(ref, {
    ...{ state: 'intent', atMs: clock.nowMs, nonce: 'x', rowHash: row.hash, kind: row.kind, expected: null },
    ...{ generation, part: 0, index: 0 },
  });
  const evidence = { rule: 'TS', status: 504, message: 'late', outputUrl: url };
  await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence });
  const { fetchSalvaged } = salvageActivities({ ...deps, downloader });
  return {
    deps,
    url,
    fetch: () => new MockActivityEnvironment().run(fetchSalvaged, { row: refOf(row), n: 1 }),
    attempt: () => deps.ledger.readAttempt(ref),
  };
}

const picture = (bytes: Buffer): Answer => whole({}, bytes);

it('TS: a whole file makes the attempt done, with its bytes in the home', async () => {
  const { fetch, attempt, deps } = await stand(picture(smallPng()));
  expect(await fetch()).toBe('done');
  const found = await attempt();
  expect(found && standingOf(found)).toBe('done');
  const last = found?.states.at(-1);
  const sha256 = last?.state === 'done' ? last.outputs[0]?.blobSha256 : undefined;
  expect(Buffer.from((await deps.home.getBlob(sha256 ?? '')) ?? [])).toEqual(smallPng());
  expect(await fetch()).toBe('done');
});

it('until then it stays a case that is looked at again', async () => {
  const { fetch, attempt } = await stand(status(404), picture(smallPng().subarray(0, 60)), picture(smallPng()));
  expect(await fetch()).toBe('open');
  expect(await fetch()).toBe('open');
  const found = await attempt();
  expect(found && standingOf(found)).toBe('open_case');
  expect(await fetch()).toBe('done');
});

it('a URL that another attempt has confirms nothing (T8)', async () => {
  const { fetch, deps, url } = await stand(picture(smallPng()));
  await takeName(deps.home, url, { batch: 'b', id: 'other', n: 1 });
  expect(await fetch()).toBe('nothing');
});

it.each(['recovery', 'the next look at it'])('TS, T8: a URL that a crash left unnamed is named by %s', async (by) => {
  const { deps, url, attempt } = await stand();
  const ref = { batch: 'b', id: 'r', n: 1 };
  // The process died between the record and the name.
  const outputs = [{ blobSha256: await deps.home.putBlob(smallPng()) }];
  await deps.ledger.append(ref, { state: 'done', atMs: deps.now(), outputs, facts: { warnings: [] } });
  const found = await attempt();
  if (by === 'recovery') await slotActivities(deps).recoverOpen({ from: 0 });
  else expect(found && (await resultOf(deps, ref, found))).toMatchObject({ standing: 'done' });
  expect(await isNameOfAnother(deps.home, url, { ...ref, id: 'other' })).toBe(true);
  expect(await isNameOfAnother(deps.home, url, ref)).toBe(false);
});

it('TS, T8: a URL that another attempt was given meanwhile makes it a case again', async () => {
  const { deps, url, attempt } = await stand();
  const ref = { batch: 'b', id: 'r', n: 1 };
  const outputs = [{ blobSha256: await deps.home.putBlob(smallPng()) }];
  await deps.ledger.append(ref, { state: 'done', atMs: deps.now(), outputs, facts: { warnings: [] } });
  await takeName(deps.home, url, { ...ref, id: 'other' });
  const found = await attempt();
  expect(found && (await resultOf(deps, ref, found))).toMatchObject({ standing: 'open_case' });
});
