// Design 8: what `plan` passes `run` takes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededHome } from './seeded-home.js';

test('a plan for another place than its batch is bound to is refused, as the run would be', async () => {
  const home = await seededHome('b', [{ id: 'old' }]);
  writeFileSync(
    join(home.folder, 'b.csv'),
    'id,kind,model,prompt,width,height\nold,svc/image,svc-alpha.2-klein-4b,a harbour,320,200\n',
  );
  const { exitCode, stderr } = await home.run('plan', 'b.csv', '--no-network', '--out', 'elsewhere');
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/batch 'b' writes to .*, not to .*elsewhere: use that --out/),
  ]);
});

test('the prices to fill in name the bound of what only the finished output tells', async () => {
  const home = await seededHome('b', [{ id: 'old' }]);
  const { stdout } = await home.run('prices', '--example');
  const { prices } = JSON.parse(stdout) as { prices: { kind: string; components: object[] }[] };
  const of = (kind: string) => prices.find((one) => one.kind === kind)?.components;
  expect(of('vendor-d/video')).toEqual([{ unit: 'million-tokens', credits: '?', upTo: '?' }]);
  expect(of('vendor-b/avatar')).toEqual([{ unit: 'second', credits: '?', upTo: '?' }]);
  expect(of('svc/image')).toEqual([{ unit: 'megapixel', credits: '?' }]);
});
