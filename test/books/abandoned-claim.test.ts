// A claim whose process died two days ago and whose batch nobody has gone on with moves no balance any more.
import { expect, test } from 'vitest';
import type { Row } from '../../src/domain/row.js';
import { filmsAtHand, filmsOf } from './support/films-at-hand.js';

const ROWS = filmsOf('orphan', 'a');
const [ORPHAN, A] = ROWS as [Row, Row];
const FROM = 2 * 24 * 60;

test.each([
  ['billed', false],
  ['billed', true],
  ['not_billed', false],
  ['not_billed', true],
] as const)('a lost answer is found %s (an old claim: %s)', async (verdict, hasOrphan) => {
  const { claim, lose, readUntil, sleepUntil, settle } = await filmsAtHand(ROWS);
  await readUntil(0);
  if (hasOrphan) await claim(ORPHAN);
  sleepUntil(FROM);
  await readUntil(FROM);
  await lose(A);
  await readUntil(FROM + 75, (minute) => (verdict === 'billed' && minute >= FROM + 30 ? 0.2 : 0));
  expect(await settle(A)).toMatchObject({ outcome: 'verdict', verdict });
});
