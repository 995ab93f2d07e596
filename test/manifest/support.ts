import { stringify } from 'csv-stringify/sync';
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
  /** A row that the changes are made to; it is valid by itself unless the rule is about what it lacks. */
  base: Cells;
  good?: Cells[];
  bad?: BadChange[];
}

export interface BadChange {
  change: Cells;
  code: string;
  says: RegExp;
  /** The column of the place, where it is not the first one that is changed. */
  at?: string;
}

/** A row that passes and one that is refused, with as little as can be between them. */
export interface Pair {
  rule: string;
  kind: Kind;
  inside: Cells;
  outside: Cells;
  bad: BadChange;
}

/** Beside each bad row the good one of the same rule that is nearest to it; the base where none changes the same cells. */
export function pairsOf({ rule, kind, base, good = [], bad = [] }: RuleCase): Pair[] {
  return bad.map((one) => {
    const columns = Object.keys(one.change).sort().join();
    const alike = good.filter((change) => Object.keys(change).sort().join() === columns);
    const nearest = alike.sort((a, b) => distance(a, one.change) - distance(b, one.change))[0];
    const inside = nearest ?? (good.some((change) => Object.keys(change).length === 0) ? {} : insideOf(base, good));
    const row = { id: 'r1', kind, ...base };
    return { rule, kind, inside: { ...row, ...inside }, outside: { ...row, ...one.change }, bad: one };
  });
}

/** Some bases are not valid by themselves: then the rule's first good row is. */
function insideOf(base: Cells, good: readonly Cells[]): Cells {
  const fills = good[0] ?? {};
  const isLacking = Object.keys(fills).some((column) => base[column] === undefined || base[column] === '');
  return isLacking ? fills : {};
}

function distance(a: Cells, b: Cells): number {
  const gaps = Object.keys(a).map((column) => {
    const [from = '', to = ''] = [a[column], b[column]];
    const gap = Math.abs(Number(from) - Number(to));
    return from === '' || to === '' || Number.isNaN(gap) ? Math.abs(from.length - to.length) : gap;
  });
  return gaps.reduce((sum, gap) => sum + gap, 0);
}
