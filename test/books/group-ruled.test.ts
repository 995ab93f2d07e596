// What a person ruled is no member of a count, however its row's own job stands (design 3, Interchangeable attempts).
import { expect, test } from 'vitest';
import type { Row } from '../../src/domain/row.js';
import { filmsAtHand, filmsOf } from './support/films-at-hand.js';

const [A, B] = filmsOf('a', 'b') as [Row, Row];

test.each(['billed', 'not_billed'] as const)(
  'beside a row that was ruled %s another is not counted',
  async (ruling) => {
    const { deps, clock, lose, readUntil, settle } = await filmsAtHand([A, B]);
    await readUntil(10);
    await lose(A);
    await readUntil(11);
    await lose(B);
    // One of the two was billed.
    await readUntil(20, (minute) => (minute > 12 ? 0.2 : 0));
    const by = { who: 'ann' };
    await deps.ledger.append({ batch: 'b', id: 'a', n: 1 }, { state: 'ruled', atMs: clock.nowMs, ruling, by });
    await readUntil(85, () => 0.2);
    expect(await settle(B)).not.toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
    const groups = [];
    for await (const group of deps.books.groups.all()) groups.push(group);
    expect(groups).toEqual([]);
  },
);
