import { allExplanations, type Explanation } from './explanations.js';

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
