// `npm run sim`: bundles the simulation when its sources changed, then runs it with the arguments that were given.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, root } from '../scripts/lib/checkout.mjs';
import { bundle } from './bundle.mjs';

const hash = createHash('sha256');
for (const file of [...filesBelow(join(root, 'src')), ...filesBelow(join(root, 'sim'))].sort()) {
  if (/\.(ts|mjs)$/.test(file)) hash.update(readFileSync(file));
}
const folder = join(root, '.callsheet', 'sim');
const program = join(folder, `${hash.digest('hex').slice(0, 16)}.mjs`);
mkdirSync(folder, { recursive: true });
if (!existsSync(program)) await bundle(program);
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
