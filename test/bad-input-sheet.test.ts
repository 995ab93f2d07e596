// Every number of the list of bad input is shown through the command line, with its place, its fact and its exit code.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROBLEM_CODES } from '../src/kinds/index.js';

/** The list ends at B56; what follows continues it for rules that it does not name one by one. */
const LISTED = 56;

it('each number of the list has a test that runs the built command line', () => {
  const numbers = Array.from({ length: LISTED }, (_, at) => `B${at + 1}`);
  const folders = ['test/e2e-cli', 'test/e2e-cli/support'];
  const tests = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8')),
  );
  const shown = new Set(tests.flatMap((text) => text.match(/\bB\d+\b/g) ?? []));
  expect(numbers.filter((code) => !shown.has(code))).toEqual([]);
  expect(Object.keys(PROBLEM_CODES).length).toBeGreaterThan(40);
});
