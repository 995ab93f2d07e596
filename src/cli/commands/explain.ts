import { type Command, Option } from 'commander';
import type { Explanation } from '../explain/explanations.js';
import type { Cli } from '../io.js';
import { createTerminal, plain } from '../terminal.js';
import { UserError } from '../user-error.js';

interface ExplainFlags {
  json?: boolean;
  markdown?: boolean;
}

/** `explain`: what a code means. Needs no settings and no network. */
export function defineExplain(command: Command, cli: Cli): void {
  command
    .description(
      'Says what a code means, whether it is tried again, whether it was billed, and what to do. Without a code: all.',
    )
    .argument('[code]', 'a reason_code, a problem code such as B17, or an error code of the service')
    .option('--json', 'machine-readable output')
    .addOption(new Option('--markdown', 'all of them as a page').conflicts('json'))
    .addHelpText(
      'after',
      '\nExamples:\n  callsheet explain answer_lost_undecided\n  callsheet explain B48\n  callsheet explain engine_error\n  callsheet explain\n\nExit codes:\n  0  explained    2  unknown code',
    )
    .action(async (code: string | undefined) => explain(cli, code, command.opts<ExplainFlags>()));
}

async function explain(cli: Cli, code: string | undefined, flags: ExplainFlags): Promise<void> {
  const { allExplanations, explanationsOf } = await import('../explain/explanations.js');
  const terminal = createTerminal(cli.io);
  if (flags.markdown === true) {
    const { errorsMarkdown } = await import('../explain/explanations.js');
    return terminal.data(errorsMarkdown().trimEnd());
  }
  const found = code === undefined ? allExplanations() : explanationsOf(code);
  if (found.length === 0) throw await unknownCode(code ?? '');
  if (flags.json === true) return terminal.json({ schema: 1, codes: found });
  if (code === undefined) {
    const { formatTable } = await import('../views/table.js');
    return terminal.data(formatTable(found.map((one) => [one.code, one.kind, one.meaning])));
  }
  for (const line of found.flatMap(linesOf)) terminal.data(line);
}

function linesOf({ code, about, meaning, retried, billed, advice }: Explanation): string[] {
  return [
    `${code}  (${about})`,
    `  what      ${meaning}`,
    `  again     ${retried}`,
    `  billed    ${billed}`,
    `  to do     ${advice}`,
  ];
}

async function unknownCode(code: string): Promise<UserError> {
  const { allExplanations } = await import('../explain/explanations.js');
  const { nearestWord } = await import('../../manifest/suggest.js');
  const nearest = nearestWord(code, new Set(allExplanations().map((one) => one.code)));
  const hint = nearest === undefined ? '`callsheet explain` lists all' : `did you mean '${nearest}'?`;
  return new UserError(`unknown code '${plain(code, 80)}'; ${hint}`);
}
