import { defined } from '../domain/defined.js';
import type { Finding, ProblemCode } from '../domain/raw-row.js';
import { KEY_START } from '../domain/secret.js';
import type { Report } from '../kinds/rule.js';
import { csvText, spreadsheetSafe } from './csv-text.js';

/** One thing that is wrong with a manifest, and where: `line` and `column` are 1-based, `1:1` means the file. */
export interface Problem {
  file: string;
  line: number;
  column: number;
  code: ProblemCode;
  id?: string;
  field?: string;
  message: string;
}

/** Ends the reading of a manifest: after such a problem nothing behind it can be understood. */
export class ManifestStop extends Error {
  override readonly name = 'ManifestStop';
  constructor(
    readonly code: ProblemCode,
    readonly line: number,
    readonly column: number,
    message: string,
  ) {
    super(message);
  }
}

const SHOWN_CHARACTERS_MAX = 80;
const API_KEY = new RegExp(`${KEY_START}\\S*`, 'gi');
/** Name and password in a URL, also in one that no parser reads: a password may have a slash, where a port is digits alone. */
const CREDENTIALS = /(?<=:\/\/)(?:[^\s/:]*:(?!\d*\/)\S*|[^\s/]*)@/g;
/** C0, C1, DEL, line separators and the characters that turn the direction of text round. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu;

/** A value as a message may show it: without keys and passwords, without control characters, at most 80 characters long. */
export function showText(text: string): string {
  const head = text.length > 2_000 ? text.slice(0, 2_000) : text;
  const shown = head
    .replace(API_KEY, '[redacted]')
    .replace(CREDENTIALS, '[redacted]@')
    .replace(UNPRINTABLE, escapeCharacter);
  const characters = shown.length > SHOWN_CHARACTERS_MAX ? Array.from(shown) : undefined;
  if (characters === undefined || characters.length <= SHOWN_CHARACTERS_MAX) return shown;
  return `${characters.slice(0, SHOWN_CHARACTERS_MAX - 1).join('')}…`;
}

/** A value in single quotes, as `showText` shows it. */
export function quoted(text: string): string {
  return `'${showText(text)}'`;
}

/** `file:line:column: CODE message`, the one form in which a problem is printed. */
export function formatProblem(problem: Problem): string {
  const file = problem.file.replace(UNPRINTABLE, escapeCharacter);
  return `${file}:${problem.line}:${problem.column}: ${problem.code} ${problem.message}`;
}

/** The first line of an `--errors` file. */
export const ERRORS_HEADER = 'file,line,column,code,id,field,message\n';

/** One line of an `--errors` file, safe to open in a spreadsheet. */
export function errorLine(problem: Problem): string {
  const { file, line, column, code, id = '', field = '', message } = problem;
  const cells = [file, String(line), String(column), code, id, field, message];
  return csvText([cells.map(spreadsheetSafe)]);
}

function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point === 9) return '\\t';
  if (point === 10) return '\\n';
  if (point === 13) return '\\r';
  return point < 256 ? `\\x${point.toString(16).padStart(2, '0')}` : `\\u${point.toString(16).padStart(4, '0')}`;
}

/** Collects what checks find: the first problems and warnings are kept, all are counted and told. */
export interface ProblemLog extends Report {
  /** A problem of the file, its header, or the form of a row. */
  add(finding: Finding, id?: string): void;
  warn(finding: Finding, id?: string): void;
  /** Until now. */
  found(): { problems: Problem[]; problemCount: number; warnings: Problem[]; warningCount: number };
}

export function createProblemLog(file: string, limit: number, onProblem?: (problem: Problem) => void): ProblemLog {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  let problemCount = 0;
  let warningCount = 0;

  function problemOf(finding: Finding, id: string | undefined): Problem {
    const { line, column, code, message, field } = finding;
    const said = defined({ id: id ? showText(id) : undefined, field: field && showText(field) });
    return { file, line, column, code, message, ...said };
  }

  function add(finding: Finding, id?: string): void {
    const problem = problemOf(finding, id);
    problemCount += 1;
    if (problems.length < limit) problems.push(problem);
    onProblem?.(problem);
  }

  function warn(finding: Finding, id?: string): void {
    warningCount += 1;
    if (warnings.length < limit) warnings.push(problemOf(finding, id));
  }

  return {
    add,
    warn,
    problem(row, code, field, message) {
      row.bad = true;
      add({ line: row.line, column: row.positionOf(field) ?? 1, code, field, message }, row.id);
    },
    warning: (row, code, field, message) =>
      warn({ line: row.line, column: row.positionOf(field) ?? 1, code, field, message }, row.id),
    found: () => {
      problems.sort((a, b) => a.line - b.line || a.column - b.column);
      return { problems, problemCount, warnings, warningCount };
    },
  };
}
