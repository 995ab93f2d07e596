/** Every documented constraint on a row: what is just inside passes, what is just outside is refused before any request. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FILE_CASES } from './constraints/media.js';
import { MODEL_RULES } from './constraints/models.js';
import { SVC_RULES } from './constraints/svc.js';
import { VENDOR_A_RULES } from './constraints/vendor-a.js';
import { VENDOR_B_AND_F_RULES } from './constraints/vendor-b-and-f.js';
import { VENDOR_C_D_E_G_RULES } from './constraints/vendor-c-d-e-g.js';
import { type Cells, checkText, csv, type Pair, pairsOf, type RuleCase } from './support.js';

const RULES = [...SVC_RULES, ...VENDOR_A_RULES, ...VENDOR_B_AND_F_RULES, ...VENDOR_C_D_E_G_RULES, ...MODEL_RULES];
const PAIRS = RULES.flatMap(pairsOf);

describe.each(RULES.map((rule): [string, RuleCase] => [`${rule.kind} ${rule.rule}`, rule]))('%s', (_name, rule) => {
  it.each((rule.good ?? []).map((change) => [shown(change), change] as const))('takes %s', async (_text, change) => {
    await expectPasses({ id: 'r1', kind: rule.kind, ...rule.base, ...change });
  });

  it.each(pairsOf(rule).map((pair) => [shown(pair.bad.change), pair] as const))(
    'refuses %s, takes the row beside it',
    async (_text, pair) => {
      await expectPasses(pair.inside);
      await expectRefused(pair);
    },
  );
});

describe('the table', () => {
  it('has at least 300 pairs, no two alike', () => {
    const texts = PAIRS.map(({ outside }) => JSON.stringify(Object.entries(outside).sort()));
    expect(new Set(texts).size).toBeGreaterThanOrEqual(300);
    console.info(
      `${PAIRS.length} pairs of rows, ${new Set(texts).size} of them different, and ${filePairs()} of files`,
    );
  });

  it('has a good file for every bad one', () => expect(filePairs()).toBeGreaterThanOrEqual(35));

  it('has a pair for every line of the conformance sheet that is a rule for rows', () => {
    const lines = readFileSync('docs/conformance.md', 'utf8').split('\n');
    const rules = lines.filter((line) => /\| `src\/kinds\/(rule-helpers|[a-z-]+\/[a-z-]*columns)\.ts`/.test(line));
    expect(rules.length).toBeGreaterThan(50);
    const titles = [...PAIRS.map(({ rule }) => rule), ...FILE_CASES.map(({ rule }) => rule)];
    const without = rules.filter((line) => {
      // What only adds to the price or has no effect is said in the plan and refuses nothing.
      if (/said in the plan|warned of|none is assumed/.test(line)) return false;
      // The one pair that needs two files at once has a test of its own.
      if (line.includes('B28: the driver clip has a cap per orientation')) return false;
      const proofs = [...line.matchAll(/`test\/manifest\/constraints[^`]*` › ([^|<]+?)(?=<br>| \|)/g)];
      return !proofs.some(([, title = '']) => titles.some((one) => one.startsWith(title.trim())));
    });
    expect(without).toEqual([]);
  });
});

async function expectPasses(row: Cells): Promise<void> {
  const { printed, passed } = await checkText(csv(row));
  expect(printed).toEqual([]);
  expect(passed).toHaveLength(1);
}

async function expectRefused({ outside, bad }: Pair): Promise<void> {
  const { at = Object.keys(bad.change)[0] ?? '' } = bad;
  const { problems, printed, passed } = await checkText(csv(outside));
  expect(passed).toEqual([]);
  const problem = problems.find(({ code }) => code === bad.code);
  expect(problem, printed.join('\n')).toBeDefined();
  expect(problem).toMatchObject({ file: '<stdin>', line: 2, id: 'r1' });
  expect(problem?.column).toBe(Math.max(1, Object.keys(outside).indexOf(at) + 1));
  expect(problem?.message).toMatch(bad.says);
}

/** Files that are refused and have a good one of the same kind and column beside them. */
function filePairs(): number {
  const isGood = new Set(FILE_CASES.filter(({ problem }) => !problem).map(({ kind, column }) => `${kind} ${column}`));
  const bad = FILE_CASES.filter(({ problem }) => problem !== undefined);
  expect(bad.filter(({ kind, column }) => !isGood.has(`${kind} ${column}`))).toEqual([]);
  return bad.length;
}

function shown(change: Cells): string {
  return JSON.stringify(change).slice(0, 100);
}
