import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sentRequests } from '../../src/cli/access/home-access.js';
import { withOwnHandle } from '../../src/cli/review/own-handle.js';
import { UserError } from '../../src/cli/user-error.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { nameOwner, takeName } from '../../src/home/handles.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { serve } from '../download/broken-server.js';
import { ACCOUNT, rowOf, seededHome, T0 } from './seeded-home.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = { state: 'verdict', atMs: T0 + 600_000, verdict: 'undecided', sentence: 'either' };
const REVIEW = { status: 'review', reasonCode: 'answer_lost_undecided' } as const;
const ATTACHED: AttemptState = { state: 'attached', atMs: T0, handle: 'op-1', by: { who: 'ann' } };

/** Two rows of a stopped engine, and a service that knows every handle. */
async function twoRows(status = 200) {
  const paths: string[] = [];
  const server = await serve(({ url = '' }, response) => {
    paths.push(url);
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ name: 'op-1', done: false }));
  });
  const rows = ['one', 'two'].map((id) => ({ id, states: [LOST, UNDECIDED], record: REVIEW }));
  const home = await seededHome('b', rows, `http://127.0.0.1:${server.port}`);
  home.stopEngine();
  const last = async (id: string) => (await home.ledger.read('b', id)).at(-1)?.states.at(-1)?.state;
  return { home, last, paths, dataFolder: join(home.folder, 'data') };
}

test('is refused to another row, which is told whose it is', async () => {
  const { home, last } = await twoRows();
  expect(await home.run('review', 'attach-handle', 'b', 'one', 'op-1')).toMatchObject({ exitCode: 0 });
  const second = await home.run('review', 'attach-handle', 'b', 'two', 'op-1');
  expect(second).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("the handle belongs to row 'one' of batch 'b': nothing was changed"),
  });
  expect([await last('one'), await last('two')]).toEqual(['attached', 'verdict']);
});

test('I12: is asked for within the minute that an engine counts, and a refused key is named as that', async () => {
  const { home, last, paths, dataFolder } = await twoRows(401);
  const refused = await home.run('review', 'attach-handle', 'b', 'one', 'op-1');
  expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('does not accept the API key') });
  expect([await last('one'), paths.length]).toEqual(['verdict', 1]);
  expect(await sentRequests(dataFolder, ACCOUNT, 0)).toHaveLength(1);
});

test('is given to its row by the next order, where a crash came before the record of the first', async () => {
  const { home, last } = await twoRows();
  // By the number of an earlier attempt: the row may have been sent again since.
  await takeName(home.home, 'op-1', { batch: 'b', id: 'one', n: 7 });
  expect(await home.run('review', 'attach-handle', 'b', 'one', 'op-1')).toMatchObject({ exitCode: 0 });
  expect(await last('one')).toBe('attached');
});

test('is asked for under what was sent, whatever the row is in the manifest by now', async () => {
  const { home, last, paths } = await twoRows();
  const writer = createRowsWriter(home.home.store, ACCOUNT, 'b');
  const still = { ...rowOf('one', 0), kind: 'svc/image', cells: { model: 'm', prompt: 'a still' } } as const;
  for (const row of [still, rowOf('two', 1)]) await writer.add({ row, raw: { id: row.id } });
  const { generation } = await writer.finish({ columns: ['id'], passthroughColumns: [], createdAtMs: T0 });
  await home.rows.setCurrentGeneration('b', generation);
  expect(await home.run('review', 'attach-handle', 'b', 'one', 'op-1')).toMatchObject({ exitCode: 0 });
  expect([paths, await last('one')]).toEqual([['/v1/vendor-f/v1beta/operations/op-1'], 'attached']);
});

test('is nobody’s again where the row went on and the order was not recorded', async () => {
  const { home } = await twoRows();
  const ref = { batch: 'b', id: 'one', n: 1 };
  const wentOn = withOwnHandle(home.home, ref, ATTACHED, async () => {
    throw new UserError('the row went on meanwhile');
  });
  await expect(wentOn).rejects.toThrow('went on');
  expect(await nameOwner.read(home.home, 'op-1')).toBeUndefined();
});
