import type { Finding } from '../domain/raw-row.js';
import type { Report } from '../kinds/rule.js';
import type { Problem } from './problem.js';
import { showText } from './problem.js';

/** Collects what checks find: the first problems and warnings are kept, all are counted and told. */
export interface ProblemLog extends Report {
  /** A problem of the file, its header, or the form of a row. */
  add(finding: Finding, id?: string): void;
  problems(): Problem[];
  problemCount(): number;
  warnings(): Problem[];
  warningCount(): number;
}

export function createProblemLog(file: string, limit: number, onProblem?: (problem: Problem) => void): ProblemLog {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  let problemCount = 0;
  let warningCount = 0;

  function problemOf(finding: Finding, id: string | undefined): Problem {
    const { line, column, code, message, field } = finding;
    const problem: Problem = { file, line, column, code, message };
    if (id !== undefined && id !== '') problem.id = showText(id);
    if (field !== undefined) problem.field = showText(field);
    return problem;
  }

  function add(finding: Finding, id?: string): void {
    const problem = problemOf(finding, id);
    problemCount += 1;
    if (problems.length < limit) problems.push(problem);
    onProblem?.(problem);
  }

  return {
    add,
    problem(row, code, field, message) {
      row.bad = true;
      add({ line: row.line, column: row.positionOf(field) ?? 1, code, field, message }, row.id);
    },
    warning(row, code, field, message) {
      warningCount += 1;
      if (warnings.length >= limit) return;
      warnings.push(problemOf({ line: row.line, column: row.positionOf(field) ?? 1, code, field, message }, row.id));
    },
    problems: () => problems.sort((a, b) => a.line - b.line || a.column - b.column),
    problemCount: () => problemCount,
    warnings: () => warnings,
    warningCount: () => warningCount,
  };
}
