// "The provider's code, message and request id stand in `reason`" (design 2): also of rows that were not sent because the
// service refused another row of their model or provider.
import { beforeEach, expect, test } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import { close, readClosed } from '../../activities/row/closed-models.js';
import { endRow } from '../../activities/row/record.js';
import { recordOutcome } from '../../activities/row/submit-outcome.js';
import type { RowRef } from '../../src/contract/workflows.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { ReasonCode } from '../../src/domain/failure.js';
import type { Row } from '../../src/domain/row.js';
import { loadRow } from '../../src/home/row-work.js';
import { readError } from '../../src/service/errors.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const FILM = { kind: 'vendor-f/video', cells: { model: 'film-1', prompt: 'a' } } as const;
const ROWS = [plainRow('one'), plainRow('two', { index: 1 }), plainRow('film', { index: 2, ...FILM })];
const [one, two, film] = ROWS as [Row, Row, Row];

let deps: Dependencies;
let refOf: (row: Row) => RowRef;
let generation: string;

beforeEach(async () => {
  const at = await accountAtHand(ROWS);
  const messenger = { ...at.deps.messenger, rowFinished: async () => true };
  ({ refOf, generation } = at);
  deps = { ...at.deps, messenger } as Dependencies;
});

async function attempt(row: Row, n: number, state: AttemptState): Promise<void> {
  const claim = intent({ rowHash: row.hash, kind: row.kind, generation, index: row.index, expected: null });
  await deps.ledger.claim({ batch: 'b', id: row.id, n }, claim);
  await deps.ledger.append({ batch: 'b', id: row.id, n }, state);
}

async function reasonOf(row: Row, reason: ReasonCode): Promise<string | undefined> {
  await endRow(deps, refOf(row), { status: 'failed', reason });
  return (await deps.records.readRecord('b', row.id))?.reason;
}

test('of a model: which one, for which row, and the words of the service', async () => {
  const detail = {
    code: 'model_not_available',
    message: 'No access',
    model: 'svc-alpha.2-klein-4b',
    request_id: 'q-7',
  };
  const body = Buffer.from(JSON.stringify({ detail }));
  const error = readError({ status: 403, contentType: undefined, retryAfter: undefined, body });
  const ref = { batch: 'b', id: 'one', n: 1 };
  const claim = intent({ rowHash: one.hash, kind: one.kind, generation, index: 0, expected: null });
  await deps.ledger.claim(ref, claim);
  const said = { status: 403, code: detail.code, message: 'No access', requestId: 'q-7' };
  const classified = { state: 'refused', rule: 'T3', next: 'fail_model', ...said } as const;
  const times = { claimedAtMs: deps.now(), grant: null, keyMark: 'one' };
  await recordOutcome(deps, await loadRow(deps, refOf(one)), ref, { classified, error }, times);
  expect((await readClosed(deps, 'b'))(two)).toBe('model_not_available');
  const words = '403 model_not_available No access (request q-7)';
  expect(await reasonOf(two, 'model_not_available')).toBe(
    `model svc-alpha.2-klein-4b was refused for row one: ${words}`,
  );
  expect(await reasonOf(one, 'model_not_available'), 'that was refused itself').toBe(words);
});

test('of a route, in place of what an earlier attempt of the row had met', async () => {
  await close(deps, 'b', film, 'fail_route', { said: '503 the pass-through is not enabled for this route' });
  await attempt(film, 1, {
    state: 'refused',
    atMs: 1,
    rule: 'T4',
    next: 'wait_turn',
    status: 429,
    message: 'slow down',
  });
  const sentence = 'vendor-f was refused for row film: 503 the pass-through is not enabled for this route';
  expect(await reasonOf(film, 'route_disabled')).toBe(sentence);
});

test('a mark of an earlier build says that there was one', async () => {
  const { store, keys } = deps.home;
  await store.put(keys.closing('b', 'vendor-f'), Buffer.from('{"schema":1}'));
  expect(await reasonOf(film, 'route_disabled')).toBe('another row of this batch was refused before');
});
