// Manifests drawn at random: good and bad rows of every kind in any order, as CSV or JSONL, whole or spoilt.
import fc from 'fast-check';
import type { Random } from '../../sim/engine/random.js';
import type { Kind } from '../../src/domain/kind.js';
import { KINDS } from '../../src/kinds/facts.js';
import { rulesOf } from '../../src/kinds/index.js';
import { csvText } from '../../src/manifest/csv-text.js';
import { randomCells } from '../properties/random-rows.js';

type Cells = Readonly<Record<string, string>>;

export interface DrawnManifest {
  /** With its extension. */
  name: string;
  text: string;
}

/** A manifest of up to seven rows; its rows named `wanted` come first, so that those of a batch are met again. */
export function drawManifest(random: Random, stem: string, wanted: readonly Cells[]): DrawnManifest {
  const rows: Cells[] = random.chance(0.7) ? [...wanted] : wanted.filter(() => random.chance(0.5));
  const more = random.pick([0, 0, 1, 2, 4]);
  for (let i = 0; i < more; i += 1) rows.splice(random.int(0, rows.length), 0, drawRow(random, i));
  if (random.chance(0.25)) edit(random, rows);
  const format = random.chance(0.3) ? 'jsonl' : 'csv';
  const text = format === 'csv' ? csvOf(rows) : jsonlOf(rows);
  return { name: `${stem}.${format}`, text: random.chance(0.12) ? spoilt(random, text) : text };
}

/** A row that is good, nearly good, or drawn from the whole of what can be written. */
function drawRow(random: Random, index: number): Cells {
  const kind = random.pick(KINDS);
  const id = random.pick([`m${index}`, `m${index}`, `m${index}`, 'm0', 'a/b', '', 'con', 'ä', 'x'.repeat(121)]);
  if (random.chance(0.4)) {
    const [cells = {}] = fc.sample(randomCells(kind), { seed: random.int(0, 2 ** 30), numRuns: 1 });
    return { id, kind, ...cells };
  }
  return { id: `g${index}`, kind, ...sampleOf(random, kind) };
}

function sampleOf(random: Random, kind: Kind): Cells {
  const [first = {}, ...others] = rulesOf(kind).samples;
  const cells = random.pick([first, ...others]);
  return Object.fromEntries(
    Object.entries(cells).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
}

/** One cell of one row becomes another one. */
function edit(random: Random, rows: Cells[]): void {
  if (rows.length === 0) return;
  const at = random.int(0, rows.length - 1);
  const row = rows[at] ?? {};
  const column = random.pick([...Object.keys(row), 'promt', 'n', 'x-note']);
  rows[at] = { ...row, [column]: random.pick(['', '1', '1e3', 'edited', '=1+1', '-5', '\u0007', '🜚']) };
}

function csvOf(rows: readonly Cells[]): string {
  const columns = [...new Set(['id', 'kind', ...rows.flatMap((row) => Object.keys(row))])];
  return csvText([columns, ...rows.map((row) => columns.map((name) => row[name] ?? ''))]);
}

function jsonlOf(rows: readonly Cells[]): string {
  const whole = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, text]) => text !== '')));
  return whole.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** What becomes of files: cut, doubled, emptied, re-saved by another program. */
function spoilt(random: Random, text: string): string {
  const spoil = random.pick<(whole: string) => string>([
    () => '',
    (whole) => whole.slice(0, Math.floor(whole.length / 2)),
    (whole) => whole.replaceAll(',', ';'),
    (whole) => `\uFEFF${whole}`,
    (whole) => `${whole}${whole}`,
    (whole) => whole.replace('id', 'id,id'),
    (whole) => `${whole}"never closed`,
    (whole) => `${whole}\u0000`,
    (whole) => whole.split('\n')[0] ?? '',
    (whole) => whole.replaceAll('\n', '\r\n'),
  ]);
  return spoil(text);
}
