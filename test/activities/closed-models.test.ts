// "Some restricted models need an explicit grant on the account" (service document 1, Authentication 7): the rows of that
// model fail without a request after the first refusal (F22), and those of another model go on.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import { close, readClosed, reopen } from '../../activities/row/closed-models.js';
import type { Row } from '../../src/domain/row.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

let deps: Dependencies;

beforeEach(async () => {
  ({ deps } = await accountAtHand([plainRow('r')]));
});

const interaction = (body: Row['cells']): Row => plainRow('r', { kind: 'vendor-f/interaction', cells: { body } });
const avatar = (cells: Row['cells']): Row => plainRow('r', { kind: 'vendor-b/avatar', cells });
const film = (cells: Row['cells']): Row => plainRow('r', { kind: 'vendor-a/text2video', cells });

async function closedAfter(refused: Row, named: string | undefined, others: Row[]): Promise<(string | undefined)[]> {
  await close(deps, 'b', refused, 'fail_model', { named });
  return others.map(await readClosed(deps, 'b'));
}

const CLOSED = 'model_not_available';

describe('a refusal closes the model that the request selects', () => {
  test('in the body of an interaction', async () => {
    const [restricted, free] = [interaction({ model: 'restricted-x' }), interaction({ model: 'free-y' })];
    const others = [restricted, free, interaction({ input: 'a kite' })];
    expect(await closedAfter(restricted, undefined, others)).toEqual([CLOSED, undefined, undefined]);
  });

  test('by the face of an avatar: photo engine or catalog engine', async () => {
    const [catalog, photo] = [avatar({ avatar_id: 'anna' }), avatar({})];
    expect(await closedAfter(catalog, 'avatar_v', [catalog, photo])).toEqual([CLOSED, undefined]);
    await reopen(deps, 'b');
    expect(await closedAfter(photo, 'avatar_iv', [catalog, photo])).toEqual([undefined, CLOSED]);
  });

  test('which a row may leave to the service', async () => {
    const others = [film({}), film({ model: 'vendor-a-v3' }), film({ model: 'another' })];
    expect(await closedAfter(film({}), 'vendor-a-v3', others)).toEqual([CLOSED, CLOSED, undefined]);
  });

  test('however the refusal writes its name', async () => {
    const asked = interaction({ model: 'models/image-2' });
    const others = [asked, interaction({ model: 'image-3' })];
    expect(await closedAfter(asked, 'Image-2', others)).toEqual([CLOSED, undefined]);
  });

  test('of any length', async () => {
    const [one, other] = ['a', 'b'].map((end) => interaction({ model: `${'x'.repeat(5_000)}${end}` })) as [Row, Row];
    expect(await closedAfter(one, undefined, [one, other])).toEqual([CLOSED, undefined]);
  });
});

describe('a refusal that names a model which the row did not ask for', () => {
  test('F22: closes both, where the row has named its own', async () => {
    const asked = plainRow('r');
    const others = [asked, plainRow('r', { cells: { ...asked.cells, model: 'svc-delta-4' } })];
    expect(await closedAfter(asked, 'svc-delta-4', others)).toEqual([CLOSED, CLOSED]);
  });

  test('F22: closes that one, where no column named the own: what selected the other is not known', async () => {
    const asked = interaction({ model: 'image-2' });
    const others = [asked, interaction({ model: 'image-3' })];
    expect(await closedAfter(asked, 'image-3', others)).toEqual([undefined, CLOSED]);
  });

  test('closes it and what names none, where the row named none', async () => {
    const none = interaction({ input: 'a kite' });
    const others = [none, interaction({ model: 'image-2' }), interaction({ model: 'image-3' })];
    expect(await closedAfter(none, 'image-2', others)).toEqual([CLOSED, CLOSED, undefined]);
  });
});

test('marks of earlier builds close what they told apart', async () => {
  const { store, keys } = deps.home;
  const names = [
    'svc_image-svc-alpha_2-klein-4b',
    'vendor-a_text2video-default',
    'vendor-b_avatar-default',
    'vendor-f',
  ];
  for (const name of names) await store.put(keys.closing('b', name), Buffer.from('{"schema":1}'));
  const closed = await readClosed(deps, 'b');
  expect([plainRow('r'), film({})].map(closed)).toEqual([CLOSED, CLOSED]);
  // Which of the two engines was refused then, nobody knows.
  expect([film({ model: 'another' }), avatar({}), avatar({ avatar_id: 'anna' })].map(closed)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(closed(interaction({ model: 'free-y' }))).toBe('route_disabled');
});
