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

test('a manifest whose batch would differ from another only by case is refused with the name to use', async () => {
  const home = await seededHome('shots', [{ id: 'old' }]);
  const text = 'id,kind,model,prompt,width,height\nold,svc/image,svc-alpha.2-klein-4b,a harbour,320,200\n';
  writeFileSync(join(home.folder, 'Shots.csv'), text);
  const alike = "B12 batch 'Shots' differs from batch 'shots' only by case: use --name shots to go on with that one";
  for (const command of ['plan', 'run']) {
    const { exitCode, stderr } = await home.run(command, 'Shots.csv', '--no-network', '--out', 'out');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(alike)]);
  }
  const own = await home.run('plan', 'Shots.csv', '--no-network', '--name', 'Shots-2');
  expect(own.exitCode).toBe(0);
  // An earlier callsheet let both begin: each goes on.
  await home.home.bindOut('Shots', join(home.folder, 'out'), 0);
  const begun = await home.run('plan', 'Shots.csv', '--no-network', '--out', 'out');
  expect([begun.exitCode, begun.stderr]).toEqual([0, expect.not.stringContaining('only by case')]);
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
