// Design 8: a price that a command brings belongs to its batch.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_SLOT_TERMS } from '../../src/domain/batch.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { seededHome } from './seeded-home.js';

test('the prices that a batch was run with hold for it alone, until its command gives others', async () => {
  const home = await seededHome('b', [{ id: 'old' }]);
  await writeBatchOrder(home.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
    slots: DEFAULT_SLOT_TERMS,
    prices: [{ kind: 'svc/image', components: [{ unit: 'request', credits: '0.25' }] }],
  });
  for (const name of ['b', 'other']) {
    writeFileSync(
      join(home.folder, `${name}.csv`),
      'id,kind,model,prompt,width,height\nnew,svc/image,svc-alpha.2-klein-4b,a harbour,320,200\n',
    );
  }
  const priced = async (...args: string[]) => {
    const { stdout, stderr } = await home.run('plan', ...args, '--no-network', '--out', 'out', '--json');
    expect(stderr).not.toContain('error');
    return (JSON.parse(stdout) as { cost: { expected: string | null } }).cost.expected;
  };
  expect(await priced('b.csv')).toBe('0.25');
  expect(await priced('other.csv')).toBeNull();
  expect(await priced('b.csv', '--prices', '[]')).toBeNull();
});
