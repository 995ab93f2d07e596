// `npm run sim` and `npm run histories`: bundles the program when its sources changed, then runs it with its arguments.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, root, sourceFolders } from '../scripts/lib/checkout.mjs';
import { bundle } from './bundle.mjs';

const hash = createHash('sha256');
for (const file of [...sourceFolders, 'sim'].flatMap((name) => filesBelow(join(root, name))).sort()) {
  if (/\.(ts|mjs)$/.test(file)) hash.update(readFileSync(file));
}
const folder = join(root, '.callsheet', 'sim');
const isHistories = process.argv[2] === 'histories';
const name = isHistories ? 'histories' : 'seeds';
const program = join(folder, `${name}-${hash.digest('hex').slice(0, 16)}.mjs`);
mkdirSync(folder, { recursive: true });
if (!existsSync(program)) await bundle(isHistories ? 'histories/main.ts' : 'main.ts', program);
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(isHistories ? 3 : 2)], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
