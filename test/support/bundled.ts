import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { packageRoot } from '../../src/package-root.js';

export interface Bundled {
  path: string;
  remove(): void;
}

/**
 * A program of the tests and the sources that it uses in one file of plain JavaScript: what loads them one by one, as
 * they are, takes 4 s of processor for each process.
 */
export async function bundled(program: URL): Promise<Bundled> {
  const folder = join(packageRoot, '.callsheet');
  mkdirSync(folder, { recursive: true });
  const outDir = mkdtempSync(join(folder, 'bundled-'));
  await build({
    root: packageRoot,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    build: { ssr: fileURLToPath(program), target: 'node20', outDir, minify: false },
  });
  return {
    path: join(outDir, basename(fileURLToPath(program)).replace(/\.ts$/, '.js')),
    remove: () => rmSync(outDir, { recursive: true, force: true }),
  };
}
