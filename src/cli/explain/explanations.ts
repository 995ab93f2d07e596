import { REASONS } from '../../domain/failure.js';
import { DOCUMENTED_ERRORS } from '../../kinds/documented-errors.js';
import { PROBLEM_CODES } from '../../kinds/index.js';
import {
  ANSWER_RULES,
  type Billed,
  FLAG_TEXTS,
  SETTING_ADVICE,
  SETTING_CODES,
  type SettingCode,
} from './code-tables.js';

/** Every code that callsheet or the service can show, explained in one form. Pure. */
export interface Explanation {
  code: string;
  /**
   * `reason` = of a row's results, `problem` = of a manifest or a setting, `service` = of an error answer, `rule` = by which
   * an answer was read, `flag` = of a row that ended.
   */
  kind: 'reason' | 'flag' | 'problem' | 'service' | 'rule';
  /** For a reason its class, for a service error its status and route. */
  about: string;
  meaning: string;
  retried: string;
  billed: string;
  advice: string;
}

/** All of them: reasons, flags, problems, service errors, rules. */
export function allExplanations(): Explanation[] {
  return [...reasons(), ...flags(), ...problems(), ...serviceErrors(), ...rules()];
}

/** Those of one code, whatever its case, and of an HTTP status all of that status; empty when it is unknown. */
export function explanationsOf(code: string): Explanation[] {
  const wanted = code.trim().toLowerCase();
  return allExplanations().filter(
    ({ code: known, about }) => known.toLowerCase() === wanted || about.startsWith(`HTTP ${wanted}, `),
  );
}

const BILLED: Record<Billed, string> = { no: 'not billed', yes: 'billed', unknown: 'not known' };

function rules(): Explanation[] {
  return Object.entries(ANSWER_RULES).map(([code, { meaning, retried, billed }]) => ({
    code,
    kind: 'rule',
    about: 'how an answer to a submit is read',
    meaning,
    retried,
    billed: BILLED[billed],
    advice: 'Nothing, unless the row ends in review: then `callsheet review show` has the evidence.',
  }));
}

function reasons(): Explanation[] {
  return Object.entries(REASONS).map(([code, { class: about, retry, billed, meaning, advice }]) => ({
    code,
    kind: 'reason',
    about: `class ${about}`,
    meaning,
    retried: retry ? 'the same row can succeed later' : 'the same row would end the same way',
    billed: BILLED[billed],
    advice,
  }));
}

function flags(): Explanation[] {
  return Object.entries(FLAG_TEXTS).map(([code, text]) => ({
    code,
    kind: 'flag',
    about: 'a flag of a row that ended',
    ...text,
    retried: 'no flag makes a row run again by itself',
  }));
}

function problems(): Explanation[] {
  const all: [string, string][] = [...Object.entries(PROBLEM_CODES), ...Object.entries(SETTING_CODES)];
  const byNumber = all.sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)));
  return byNumber.map(([code, meaning]) => ({
    code,
    kind: 'problem',
    about: code in SETTING_CODES ? 'settings, places and plans' : 'a manifest, with file, line and column',
    meaning,
    retried: 'nothing is submitted before it is mended; where it is a warning, the run goes on',
    billed: BILLED.no,
    advice:
      code in SETTING_ADVICE
        ? SETTING_ADVICE[code as SettingCode]
        : 'Correct the manifest at the place that the message names; `callsheet kinds KIND` has the rules.',
  }));
}

function serviceErrors(): Explanation[] {
  return DOCUMENTED_ERRORS.map(({ code, status, where, meaning, retried, billed, advice, source }) => ({
    code,
    kind: 'service',
    about: `${/^\d{3}$/.test(status) ? `HTTP ${status}` : status}, ${where} (${source})`,
    meaning,
    retried,
    billed: BILLED[billed],
    advice,
  }));
}

/** docs/errors.md, from the same data as `callsheet explain`. Pure. */
export function errorsMarkdown(): string {
  const all = allExplanations();
  const of = (kind: Explanation['kind']): Explanation[] => all.filter((one) => one.kind === kind);
  return `# Codes

Every code that callsheet prints, and every error that the service documents. \`callsheet explain CODE\` says the same;
\`callsheet explain --markdown > docs/errors.md\` writes this page.

## Reasons of rows
The \`reason_code\` of results.csv. \`callsheet retry BATCH --class CLASS\` takes a class or a code.

${table(['code', 'class', 'what happened', 'billed', 'what to do'], of('reason'), (one) => [one.about.replace('class ', ''), one.meaning, one.billed, one.advice])}

## Flags of rows
The \`flags\` of results.csv: what the status alone does not say.

${table(['flag', 'what it says', 'billed', 'what to do'], of('flag'), (one) => [one.meaning, one.billed, one.advice])}

## Problems of manifests and settings
Found before the first request; nothing is submitted, so nothing is billed.

${table(['code', 'what is wrong', 'what to do'], of('problem'), (one) => [one.meaning, one.advice])}

## Errors of the service
${table(['code', 'where', 'meaning', 'tried again', 'billed', 'what to do'], of('service'), (one) => [one.about, one.meaning, one.retried, one.billed, one.advice])}

## How an answer to a submit is read
\`callsheet review show\` names the rule beside each attempt.

${table(['rule', 'meaning', 'tried again', 'billed'], of('rule'), (one) => [one.meaning, one.retried, one.billed])}
`;
}

function table(head: string[], rows: Explanation[], cells: (one: Explanation) => string[]): string {
  const line = (values: string[]): string => `| ${values.map((value) => value.replaceAll('|', '\\|')).join(' | ')} |`;
  const body = rows.map((one) => line([`\`${one.code}\``, ...cells(one)]));
  return [line(head), line(head.map(() => '-')), ...body].join('\n');
}
