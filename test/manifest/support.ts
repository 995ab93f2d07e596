import { stringify } from 'csv-stringify/sync';
import { expect, it } from 'vitest';
import type { Kind } from '../../src/domain/kind.js';
import type { Row } from '../../src/domain/row.js';
import type { ManifestOptions, ManifestSummary, RawCells } from '../../src/manifest/manifest-options.js';
import { formatProblem } from '../../src/manifest/problem.js';
import { validateManifest } from '../../src/manifest/validate-manifest.js';

export interface Checked extends ManifestSummary {
  passed: Row[];
  raw: RawCells[];
  /** The problems as they are printed. */
  printed: string[];
}

type Options = Partial<Omit<ManifestOptions, 'onRow'>>;

/** Validates text as if it came by standard input; hosts are not resolved unless asked for. */
export async function checkText(text: string | Uint8Array, options: Options = {}): Promise<Checked> {
  const bytes = Buffer.from(text);
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
  }
  return check({ source: { stream: stream(), name: '<stdin>' }, resolveHosts: false, ...options });
}

export async function checkFile(path: string, options: Options = {}): Promise<Checked> {
  return check({ source: { path }, resolveHosts: false, ...options });
}

async function check(options: ManifestOptions): Promise<Checked> {
  const passed: Row[] = [];
  const raw: RawCells[] = [];
  const summary = await validateManifest({
    ...options,
    onRow(row, cells) {
      passed.push(row);
      raw.push(cells);
    },
  });
  return { ...summary, passed, raw, printed: summary.problems.map(formatProblem) };
}

/** Cells of one row; undefined takes a cell of the base away. */
export type Cells = Record<string, string | undefined>;

export function csv(...rows: Cells[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return stringify([columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]);
}

/** A documented rule: rows just inside it pass, rows just outside are refused with the limit in the sentence. */
export interface RuleCase {
  rule: string;
  kind: Kind;
  /** A valid row that the changes are made to. */
  base: Cells;
  good?: Cells[];
  bad?: { change: Cells; code: string; says: RegExp; at?: string }[];
}

export function testRule({ rule, kind, base, good = [], bad = [] }: RuleCase): void {
  for (const change of good) {
    it(`${rule}: takes ${JSON.stringify(change)}`, async () => {
      const row = { id: 'r1', kind, ...base, ...change };
      const { printed, passed } = await checkText(csv(row));
      expect(printed).toEqual([]);
      expect(passed).toHaveLength(1);
    });
  }
  for (const { change, code, says, at = Object.keys(change)[0] ?? '' } of bad) {
    it(`${rule}: refuses ${JSON.stringify(change)}`, async () => {
      const row: Cells = { id: 'r1', kind, ...base, ...change };
      const { problems, printed, passed } = await checkText(csv(row));
      expect(passed).toEqual([]);
      const problem = problems.find((one) => one.code === code);
      expect(problem, printed.join('\n')).toBeDefined();
      expect(problem).toMatchObject({ file: '<stdin>', line: 2, id: 'r1' });
      expect(problem?.column).toBe(Math.max(1, Object.keys(row).indexOf(at) + 1));
      expect(problem?.message).toMatch(says);
    });
  }
}
