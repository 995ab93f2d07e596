// Design 8: `plan` says whether `run` would be refused, so it counts what the batch has cost before.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CREDIT, seededHome, T0 } from './seeded-home.js';

test('plan --max-credits counts what the batch has spent before', async () => {
  const home = await seededHome('b', []);
  const ended = { claimedAtMs: T0, endedAtMs: T0 + 1_000, lo: 2 * CREDIT, hi: 2 * CREDIT };
  await home.book.append({ ...{ batch: 'b', id: 'old', n: 1, kind: 'svc/image', end: 'charged' }, ...ended });
  writeFileSync(
    join(home.folder, 'b.csv'),
    'id,kind,model,prompt,width,height\nnew,svc/image,svc-alpha.2-klein-4b,a harbour,320,200\n',
  );
  const prices = JSON.stringify([{ kind: 'svc/image', components: [{ unit: 'request', credits: '0.25' }] }]);
  const plan = (budget: string) =>
    home.run('plan', 'b.csv', '--no-network', '--out', 'out', '--prices', prices, '--max-credits', budget);
  const refused = await plan('2.2');
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('B52 planned 0.25 credits and 2 of this batch before exceed --max-credits 2.2'),
  ]);
  expect((await plan('2.25')).exitCode).toBe(0);
});
