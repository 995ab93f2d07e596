// The file that keeps an output from its name is looked for now and then, not with every look of a view.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { HomeAccess } from '../../src/cli/access/home-access.js';
import { createFileInWay } from '../../src/cli/plan/file-in-way.js';
import type { BatchProgress } from '../../src/contract/workflows.js';
import { temporaryFolder } from '../store/support/temporary.js';

afterEach(() => {
  vi.useRealTimers();
});

const blockedAt = (id: string) =>
  ({ generation: 'g', blocked: { id, code: 'EEXIST', count: 1 } }) as unknown as BatchProgress;

function standing() {
  vi.useFakeTimers({ toFake: ['Date'] });
  const out = temporaryFolder();
  const media = join(out, 'b', 'media');
  mkdirSync(media, { recursive: true });
  const looks: string[] = [];
  const access = {
    config: { s3: {} },
    rows: {
      generation: async () => ({ parts: [{ rows: 2 }] }),
      readPart: async () => ['one', 'two'].map((id) => ({ row: { id, stem: id } })),
    },
    home: {
      readBatch: async () => {
        looks.push('look');
        return { out };
      },
    },
  } as unknown as HomeAccess;
  return { media, looks, way: createFileInWay(access, 'b') };
}

test('a view that looks twice a second has the folder listed every five seconds', async () => {
  const { media, looks, way } = standing();
  const file = join(media, 'one.png');
  writeFileSync(file, 'of someone else');
  for (let i = 0; i < 10; i += 1) {
    expect(await way.of(blockedAt('one'))).toBe(file);
    vi.setSystemTime(Date.now() + 490);
  }
  expect(looks).toHaveLength(1);
  rmSync(file);
  vi.setSystemTime(Date.now() + 5_000);
  expect(await way.of(blockedAt('one'))).toBeUndefined();
});

test('another row is looked for at once; what is no taken name is not looked for', async () => {
  const { media, looks, way } = standing();
  writeFileSync(join(media, 'one.png'), 'a');
  writeFileSync(join(media, 'TWO.mp4'), 'b');
  expect(await way.of(blockedAt('one'))).toBe(join(media, 'one.png'));
  expect(await way.of(blockedAt('two'))).toBe(join(media, 'TWO.mp4'));
  const full = { generation: 'g', blocked: { id: 'one', code: 'ENOSPC', count: 1 } } as unknown as BatchProgress;
  expect(await way.of(full)).toBeUndefined();
  expect(looks).toHaveLength(2);
});
