/** The rows of docs/conformance.md, and the tests that prove them. */
import { readFileSync } from 'node:fs';

export interface Proof {
  /** Where the title stands: a test file, or the table that one reads. */
  file: string;
  /** The whole title; `%i`, `%s` and the like as the test has them. */
  title: string;
  /** The test file to run. */
  run: string;
}

export interface ConformanceRow {
  number: number;
  rule: string;
  where: string;
  proofs: Proof[];
}

/** Tables of constraints are no test files: which one runs them. */
const TABLES = 'test/manifest/constraints/';

/** The row's cells, as `| 1 | rule | `where` | `file` › title<br>… |`. */
export function conformanceRows(sheet = readFileSync('docs/conformance.md', 'utf8')): ConformanceRow[] {
  return sheet.split('\n').flatMap((text) => {
    const cells = /^\| (\d+) \| (.+) \| `([^`]+)` \| (.+) \|$/.exec(text);
    if (cells === null) return [];
    const [, number, rule = '', where = '', proof = ''] = cells;
    return [{ number: Number(number), rule, where, proofs: proof.split('<br>').map(proofOf) }];
  });
}

/** The title stands in its file as a whole: an argument of a test or a group, or the name of a table's row. */
export function isWholeTitle({ file, title }: Proof): boolean {
  const literals =
    /(?:\(\s*|\b(?:rule|name): |\[\s*)(?:'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`)/g;
  return [...readFileSync(file, 'utf8').matchAll(literals)].some(([, single, double, template = '']) => {
    const plain = single ?? double;
    if (plain !== undefined) return plain.replaceAll(/\\(.)/g, '$1') === title;
    return new RegExp(
      `^${template
        .split(/\$\{[^}]+\}/)
        .map(literal)
        .join('.+')}$`,
    ).test(title);
  });
}

/** Finds the test by its name as it is run, with the values of a table filled in. */
export function patternOf({ title }: Proof): string {
  return title
    .split(/%[a-z]|\$\w+(?:\.\w+)*/)
    .map(literal)
    .join('.*');
}

function proofOf(text: string): Proof {
  const [, file = text, title = ''] = /^`([^`]+)` › (.+)$/.exec(text) ?? [];
  const table = file === `${TABLES}media.ts` ? 'media-files' : 'constraints';
  return { file, title, run: file.startsWith(TABLES) ? `test/manifest/${table}.test.ts` : file };
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
