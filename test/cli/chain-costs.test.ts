import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createChainCosts } from '../../src/cli/plan/chain-costs.js';
import { planCosts } from '../../src/cli/plan/plan-tally.js';
import { plainRow } from '../activities/support/account-at-hand.js';
import { editRow, fed } from '../support/chain-rows.js';
import { cli, workFolder } from './harness.js';

const LIST = 1_000_000_000;

test('a feeder counts wherever it stands; what stands alone or is not submitted does not', () => {
  const costs = createChainCosts();
  const rows = [
    editRow('early', fed('late', 2), { index: 0 }),
    plainRow('alone', { index: 1 }),
    plainRow('late', { index: 2 }),
    editRow('reused', fed('late', 2), { index: 3 }),
    editRow('open', fed('late', 2), { index: 4 }),
  ];
  for (const row of rows) {
    costs.link(row);
    costs.add(row, row.id === 'open' ? { lo: 1, hi: null } : { lo: 10 ** row.index, hi: 2 * 10 ** row.index });
  }
  costs.remove(3);
  const { total } = planCosts(costs.total(), () => LIST);
  expect(total).toMatchObject({ toSubmit: 3, unknown: 1, lowNano: 101, worstNano: 202 });
});

test('the plan says what whole chains cost, in words and as JSON', async () => {
  const folder = workFolder();
  const rows = [
    'id,kind,model,prompt,image,width,height,duration',
    'hero,svc/image,svc-alpha.2-klein-4b,a hero,,512,512,',
    'film,vendor-a/image2video,,she turns,@hero,,,5',
    'alone,svc/image,svc-alpha.2-klein-4b,a street,,512,512,',
  ];
  writeFileSync(join(folder, 'b.csv'), `${rows.join('\n')}\n`);
  const prices = [{ kind: 'svc/image', components: [{ unit: 'image', credits: '0.5' }] }];
  const films = [{ kind: 'vendor-a/image2video', components: [{ unit: 'second', credits: '0.1', upTo: 5 }] }];
  writeFileSync(join(folder, 'callsheet.config.json'), JSON.stringify({ prices: [...prices, ...films] }));
  const place = ['--out', join(folder, 'out'), '--home', join(folder, 'home'), '--no-network'];
  const said = await cli(['plan', 'b.csv', ...place], { cwd: folder });
  expect(said.stdout, said.stderr).toContain(
    'chains    1 chain of 2 rows; 1 waits for others, at most 2 run one after the other; 1 credits\n',
  );
  const asked = await cli(['plan', 'b.csv', ...place, '--json'], { cwd: folder });
  expect(JSON.parse(asked.stdout)).toMatchObject({
    chains: { count: 1, rows: 2, cost: { low: '1', expected: '1', worst: '1', unknownRows: 0 } },
    cost: { worst: '1.5' },
  });
});

test('a row that is left alone binds none of those that it feeds', async () => {
  const folder = workFolder();
  const rows = [
    'id,kind,model,prompt,image,width,height,duration',
    'hero,svc/image,svc-alpha.2-klein-4b,a hero,,512,512,',
    'film,vendor-a/image2video,,she turns,@hero,,,5',
    'still,svc/image,svc-alpha.2-klein-4b,a street,,512,512,',
    'clip,vendor-a/image2video,,she runs,@still,,,5',
  ];
  writeFileSync(join(folder, 'b.csv'), `${rows.join('\n')}\n`);
  mkdirSync(join(folder, 'out', 'b', 'media'), { recursive: true });
  writeFileSync(join(folder, 'out', 'b', 'media', 'hero.png'), 'a file');
  const args = [
    'plan',
    'b.csv',
    '--out',
    join(folder, 'out'),
    '--home',
    join(folder, 'home'),
    '--no-network',
    '--json',
  ];
  const chainsOf = async (...more: string[]) =>
    JSON.parse((await cli([...args, ...more], { cwd: folder })).stdout).chains;
  expect(await chainsOf('--on-exists', 'version')).toMatchObject({ count: 2, rows: 4, fed: 2, longest: 2 });
  expect(await chainsOf('--on-exists', 'skip')).toMatchObject({ count: 1, rows: 2, fed: 1, longest: 2 });
});
