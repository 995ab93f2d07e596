// The maps of the house in README.md and docs/architecture.md name every part of it, and nothing that is gone.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const parts = [
  'workflows',
  'activities',
  'emulator',
  ...readdirSync('src', { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? `src/${entry.name}` : [])),
];
const documents = readdirSync('docs').filter((name) => name.endsWith('.md'));
const named = (path: string): Set<string> =>
  new Set(
    [...readFileSync(path, 'utf8').matchAll(/`((?:src|workflows|activities|emulator|docs|test|sim)\b[\w./-]*)`/g)].map(
      ([, name = '']) => name,
    ),
  );

it.each(['README.md', 'docs/architecture.md'])('%s has every part of the product', (path) => {
  expect(parts.filter((name) => !named(path).has(name))).toEqual([]);
});

it('README.md has every document', () => {
  expect(documents.filter((name) => !named('README.md').has(`docs/${name}`))).toEqual([]);
});

it.each(['README.md', ...documents.map((name) => `docs/${name}`)])('%s names files that exist', (path) => {
  expect([...named(path)].filter((name) => !existsSync(name))).toEqual([]);
});
