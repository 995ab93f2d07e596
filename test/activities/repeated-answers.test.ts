// T8: a handle, or an output's URL, that another attempt has already is an old answer, repeated by a gateway.

import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { slotActivities } from '../../activities/slots.js';
import { submitActivities } from '../../activities/submit.js';
import type { Attempt } from '../../src/domain/attempt.js';
import type { Answer } from '../../src/domain/exchange.js';
import type { Row } from '../../src/domain/row.js';
import { handleOf, isContradicted, standingOf } from '../../src/domain/standing.js';

import { resultState } from '../../src/home/attempts.js';
import { sortOf } from '../../src/home/document-sorts.js';
import { isNameOfAnother, takeName } from '../../src/home/handles.js';
import { statesOf } from '../../src/home/row-standing.js';
import { repairDocument } from '../../src/home/verify-documents.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const film = (id: string, index: number): Row =>
  plainRow(id, { index, kind: 'vendor-f/video', cells: { model: 'vendor-f-3.1-lite-generate-preview', prompt: 'p' } });

/** A service that answers every submit alike. */
async function stand(rows: Row[], body: object) {
  const { deps, refOf } = await accountAtHand(rows);
  const answer: Answer = {
    status: 200,
    contentType: undefined,
    retryAfter: undefined,
    body: Buffer.from(JSON.stringify(body)),
  };
  const transport = { send: async () => ({ outcome: 'answered', answer, tookMs: 1 }), close: async () => undefined };
  const { submit } = submitActivities({ ...deps, transport } as never);
  return {
    answer,
    deps,
    refOf,
    submit: (row: Row) => new MockActivityEnvironment().run(submit, { row: refOf(row), n: 1, grant: null, sinceMs: 0 }),
    attempt: (row: Row) => deps.ledger.readAttempt({ batch: 'b', id: row.id, n: 1 }),
  };
}

describe('a handle', () => {
  const rows = [film('a', 0), film('b', 1)] as const;

  it('T8: belongs to the first attempt that has it; the second is a case without a handle', async () => {
    const { submit, attempt } = await stand([...rows], { name: 'operation-1' });
    expect(await submit(rows[0])).toMatchObject({ standing: 'created' });
    expect(await submit(rows[1])).toMatchObject({ standing: 'open_case' });
    const second = await attempt(rows[1]);
    expect(second && [standingOf(second), handleOf(second)]).toEqual(['open_case', undefined]);
    expect(second?.states.at(-1)).toMatchObject({ state: 'unknown', evidence: { rule: 'T8' } });
  });

  it('T8, TH: that came in a failed answer is this attempt’s too, before a poll confirms it', async () => {
    const { submit, deps, attempt, answer } = await stand([...rows], { name: 'operation-1' });
    Object.assign(answer, { status: 502 });
    expect(await submit(rows[0])).toMatchObject({ standing: 'open_case' });
    Object.assign(answer, { status: 200 });
    expect(await submit(rows[1])).toMatchObject({ standing: 'open_case' });
    expect((await attempt(rows[1]))?.states.at(-1)).toMatchObject({ evidence: { rule: 'T8' } });
    expect(await isNameOfAnother(deps.home, 'operation-1', { batch: 'b', id: 'a', n: 1 })).toBe(false);
  });

  describe.each([
    { state: 'verdict', verdict: 'not_billed', sentence: 'nothing is missing' },
    { state: 'verdict', verdict: 'undecided', sentence: 'it can be either' },
    { state: 'attached', handle: 'operation-2', by: { who: 'me' } },
  ] as const)('that comes late to an attempt with $state $verdict', (settled) => {
    it('leaves it as it was, and its row as it was recorded: nothing of it has changed', async () => {
      const { submit, deps, attempt, refOf, answer } = await stand([...rows], { name: 'operation-1' });
      await submit(rows[0]);
      Object.assign(answer, { status: 502, body: Buffer.from('<html>Bad Gateway</html>') });
      await submit(rows[1]);
      const ref = { batch: 'b', id: 'b', n: 1 };
      await deps.ledger.append(ref, { ...settled, atMs: deps.now() });
      const before = (await attempt(rows[1])) as Attempt;
      const recorded = { standing: standingOf(before), handle: handleOf(before), states: statesOf([before]) };
      await deps.ledger.append(ref, { state: 'created', handle: 'operation-1', atMs: deps.now() });
      await settleActivities(deps).inspectAttempt({ row: refOf(rows[1]), n: 1 });
      const after = (await attempt(rows[1])) as Attempt;
      expect(after.states.length).toBeGreaterThan(before.states.length);
      expect({ standing: standingOf(after), handle: handleOf(after), states: statesOf([after]) }).toEqual(recorded);
      expect(isContradicted(after)).toBe(false);
    });
  });

  it('is named once more when the account is recovered', async () => {
    const { submit, deps, attempt } = await stand([...rows], { name: 'operation-1' });
    await submit(rows[0]);
    for await (const key of deps.home.store.list('a/handles')) await deps.home.store.remove(key);
    await slotActivities(deps).recoverOpen({ from: 0 });
    await submit(rows[1]);
    expect((await attempt(rows[1]))?.states.at(-1)).toMatchObject({ evidence: { rule: 'T8' } });
  });

  it('is named once more when its job looks after the worker that died with it', async () => {
    const { submit, deps, attempt, refOf } = await stand([...rows], { name: 'operation-1' });
    await submit(rows[0]);
    for await (const key of deps.home.store.list('a/handles')) await deps.home.store.remove(key);
    const inspected = await settleActivities(deps).inspectAttempt({ row: refOf(rows[0]), n: 1 });
    expect(inspected).toMatchObject({ standing: 'created' });
    await submit(rows[1]);
    expect((await attempt(rows[1]))?.states.at(-1)).toMatchObject({ evidence: { rule: 'T8' } });
  });

  it('whose name a disk has damaged stays with the attempt that has it on record, and is nobody else’s', async () => {
    const { submit, deps, attempt, refOf } = await stand([...rows], { name: 'operation-1' });
    await submit(rows[0]);
    for await (const key of deps.home.store.list('a/handles')) await deps.home.store.put(key, Buffer.from('{"ba'));
    expect(await submit(rows[1])).toMatchObject({ standing: 'open_case' });
    const inspected = await settleActivities(deps).inspectAttempt({ row: refOf(rows[0]), n: 1 });
    expect(inspected).toMatchObject({ standing: 'created' });
    expect((await attempt(rows[0]))?.states).toHaveLength(2);
    expect(await isNameOfAnother(deps.home, 'operation-1', { batch: 'b', id: 'a', n: 1 })).toBe(false);
  });

  it('whose name is damaged keeps it through a repair: that it is there means something', async () => {
    const { submit, deps } = await stand([...rows], { name: 'operation-1' });
    await submit(rows[0]);
    for await (const key of deps.home.store.list('a/handles')) {
      await deps.home.store.put(key, Buffer.from('{"ba'));
      const sort = sortOf(key.slice('a/'.length));
      expect(sort && (await repairDocument(deps.home, { key, sort }, 1))).toBe('left');
      expect(await deps.home.store.get(key)).toBeDefined();
    }
  });

  it('that another took before the recovery makes a case of the created one', async () => {
    const { submit, deps, attempt } = await stand([...rows], { name: 'operation-1' });
    await submit(rows[0]);
    for await (const key of deps.home.store.list('a/handles')) await deps.home.store.remove(key);
    await takeName(deps.home, 'operation-1', { batch: 'other', id: 'x', n: 1 });
    const { holders } = await slotActivities(deps).recoverOpen({ from: 0 });
    expect(holders).toMatchObject([{ job: { id: 'a' } }]);
    const first = await attempt(rows[0]);
    expect(first && standingOf(first)).toBe('open_case');
  });
});

describe('the URL of a synchronous output', () => {
  const answer = { created: 1, model: 'm', data: [{ url: 'https://out.example/a.png' }] };

  it('that another attempt has is a case, unless both are the same seeded request', async () => {
    const rows = [plainRow('a'), plainRow('b', { index: 1 })] as const;
    const plain = await stand([...rows], answer);
    expect(await plain.submit(rows[0])).toMatchObject({ standing: 'done' });
    expect(await plain.submit(rows[1])).toMatchObject({ standing: 'open_case' });
    // What the other attempt made tells nothing of this one: it has no output, and no charge is booked for it.
    const second = await plain.attempt(rows[1]);
    expect(second && resultState(second)).toBeUndefined();

    const seeded = [0, 1].map((index) =>
      plainRow(`s${index}`, { index, hash: 'same', cells: { ...plainRow('s').cells, seed: 7 } }),
    ) as [Row, Row];
    const again = await stand(seeded, answer);
    expect(await again.submit(seeded[0])).toMatchObject({ standing: 'done' });
    expect(await again.submit(seeded[1])).toMatchObject({ standing: 'done' });
  });

  it('is named once more after a crash between the record and the name', async () => {
    const rows = [plainRow('a'), plainRow('b', { index: 1 })] as const;
    const { submit, deps } = await stand([...rows], answer);
    await submit(rows[0]);
    for await (const key of deps.home.store.list('a/handles')) await deps.home.store.remove(key);
    expect(await submit(rows[0])).toMatchObject({ standing: 'done' });
    expect(await submit(rows[1])).toMatchObject({ standing: 'open_case' });
  });
});
