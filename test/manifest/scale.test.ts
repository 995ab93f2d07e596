import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateManifest } from '../../src/manifest/validate-manifest.js';
import { png } from './media-samples.js';
import { checkFile } from './support.js';
import { temporaryFolder } from './temp-folder.js';

const HEADER = 'id,kind,group,model,prompt,width,height,duration,resolution,x-scene,avatar_id,script,voice_id,image\n';

function row(at: number): string {
  if (at % 3 === 0) return `still-${at},svc/image,stills,svc-alpha.2-klein-4b,"a lighthouse, dusk",1280,720,,,S1,,,,\n`;
  if (at % 3 === 1) return `host-${at},vendor-b/avatar,hosts,,,,,,,S4,anna,Welcome to spring.,v-amber-en,\n`;
  return `film-${at},vendor-f/video,films,vendor-f-3.1-fast-generate-preview,waves,,,6,720p,S5,,,,\n`;
}

async function* manifest(rows: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from(HEADER);
  for (let at = 0; at < rows; at += 500) {
    yield Buffer.from(Array.from({ length: Math.min(500, rows - at) }, (_, offset) => row(at + offset)).join(''));
  }
}

/** How many rows pass. */
async function validate(rows: number): Promise<number> {
  let passed = 0;
  const source = { stream: manifest(rows), name: '<stdin>' } as const;
  const { problemCount } = await validateManifest({
    source,
    resolveHosts: false,
    onRow: () => {
      passed += 1;
    },
  });
  expect(problemCount).toBe(0);
  return passed;
}

const folder = temporaryFolder();

describe('large manifests', () => {
  it('every one of 10,000 rows is told once', async () => {
    expect(await validate(10_000)).toBe(10_000);
  });

  it('the memory in use does not grow with the rows', async () => {
    await validate(2_000);
    const before = process.memoryUsage().rss;
    await validate(40_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  }, 60_000);

  it('a file that many rows use is read once', async () => {
    mkdirSync(join(folder, 'in'));
    writeFileSync(join(folder, 'in', 'a.png'), png(64, 64));
    const cells = (at: number): string => `r${at},svc/edit,svc-beta-image-edit-2511,in/a.png,p,64,64\n`;
    const path = join(folder, 'many.csv');
    writeFileSync(
      path,
      `id,kind,model,image,prompt,width,height\n${Array.from({ length: 2000 }, (_, at) => cells(at)).join('')}`,
    );
    let kept = 0;
    const { passed, printed } = await checkFile(path, {
      keepBlob: () => {
        kept += 1;
        return Promise.resolve();
      },
    });
    expect([printed, passed.length, kept]).toEqual([[], 2000, 1]);
  });
});
