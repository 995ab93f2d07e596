// Which rows a manifest has otherwise than it was read before.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editedRows } from '../../src/manifest/edited-rows.js';
import { temporaryFolder } from './temp-folder.js';

const FOLDER = temporaryFolder();
const KEPT = ['a', 'b', 'c'].map((id) => ({ id, cells: { id, kind: 'svc/image', prompt: `a boat ${id}` } }));
const HEAD = 'id,kind,prompt,width';
const LINES = KEPT.map(({ id }) => `${id},svc/image,a boat ${id},`);

async function* kept() {
  yield* KEPT;
}

async function edited(text: string, how: { name?: string; delimiter?: string } = {}): Promise<string[] | undefined> {
  const path = join(FOLDER, how.name ?? 'm.csv');
  writeFileSync(path, text);
  const { delimiter } = how;
  const found = await editedRows({ source: { path }, ...(delimiter && { delimiter }) }, kept());
  return found && [...found].sort();
}

const csv = (...lines: string[]) => `${[HEAD, ...lines].join('\n')}\n`;

test('what says the same is no edit: another order, an empty column, a kind that the command gave', async () => {
  expect(await edited(csv(...LINES))).toEqual([]);
  expect(await edited(csv(...LINES.toReversed()))).toEqual([]);
  expect(await edited(`id,prompt\n${KEPT.map(({ id }) => `${id},a boat ${id}`).join('\n')}`)).toEqual([]);
  const lines = KEPT.map(({ cells }) => JSON.stringify(cells)).join('\n');
  expect(await edited(lines, { name: 'm.jsonl' })).toEqual([]);
  expect(await edited(csv(...LINES).replaceAll(',', ';'), { delimiter: ';' })).toEqual([]);
});

test('changed, added and missing rows are told, wherever they stand', async () => {
  const [a = '', b = '', c = ''] = LINES;
  expect(await edited(csv(a, b.replace('boat', 'ship'), c))).toEqual(['b']);
  expect(await edited(csv('new,svc/image,a lake,', c, `${a}64`, b))).toEqual(['a', 'new']);
  expect(await edited(csv(a, c))).toEqual(['b']);
});

test('a file that is no manifest of rows tells nothing', async () => {
  expect(await edited('id,prompt\na,"never closed\n')).toBeUndefined();
  expect(await edited(csv(...LINES).replaceAll(',', ';'))).toBeUndefined();
});
