// A file of rules that cannot be read is told in words of ours.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, workFolder } from './harness.js';

test.each([
  ['folder', 'it is a folder; name a JSON file'],
  ['none.json', 'no such file'],
  ['empty.json', 'the file is empty or no valid JSON'],
  ['empty.json/x', 'no such file'],
  // It is read: what is wrong is what stands in it.
  ['marked.json', 'price rule '],
])('emulator --prices %s', async (name, told) => {
  const cwd = workFolder();
  mkdirSync(join(cwd, 'folder'));
  writeFileSync(join(cwd, 'empty.json'), '');
  writeFileSync(join(cwd, 'marked.json'), '\ufeff7');
  const { exitCode, stderr } = await cli(['emulator', '--prices', name], { cwd });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`--prices ${name}: ${told}`)]);
  expect(stderr).not.toMatch(/EISDIR|ENOENT|ENOTDIR/);
});
