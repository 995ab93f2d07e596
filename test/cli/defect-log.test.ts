// The stack of a defect is kept in the data folder that the command was given, beside what else is to be looked at.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, workFolder } from './harness.js';

test.each([
  { flags: ['--data', 'elsewhere'], folder: 'elsewhere' },
  { flags: [], folder: 'data' },
])('$flags: the stack stands in $folder/logs', async ({ flags, folder }) => {
  const cwd = workFolder();
  const onOutput = (text: string): void => {
    if (text.startsWith('no engine runs')) throw new Error('unforeseen');
  };
  const { exitCode, stderr } = await cli(['engine', 'status', ...flags], { cwd, onOutput });
  expect([exitCode, stderr]).toEqual([
    70,
    `error: unforeseen\nerror: this is a defect of callsheet; what is needed to mend it stands in ${folder}/logs/callsheet.log\n`,
  ]);
  expect(readFileSync(join(cwd, folder, 'logs', 'callsheet.log'), 'utf8')).toContain('unforeseen');
  expect(existsSync(join(cwd, 'data'))).toBe(folder === 'data');
});
