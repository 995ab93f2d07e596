import type { Command } from 'commander';
import type { Kind } from '../../domain/kind.js';
import { KINDS } from '../../kinds/facts.js';
import type { Cli } from '../io.js';
import { createTerminal, type Terminal } from '../terminal.js';

/** `kinds`: what a row can ask for, from the tables that check it. */
export function defineKinds(command: Command, cli: Cli): void {
  command
    .description('Lists what a row can ask for; with a kind, every column and rule of it.')
    .argument('[kind]', 'such as svc/image')
    .option('--json', 'machine-readable output')
    .addHelpText(
      'after',
      `\nExamples:\n  callsheet kinds\n  callsheet kinds vendor-b/avatar\n\nExit codes:\n  0  done    2  unknown kind`,
    )
    .action(async (text: string | undefined) => {
      const terminal = createTerminal(cli.io);
      const isJson = command.opts<{ json?: boolean }>().json === true;
      if (text === undefined) return listKinds(terminal, isJson);
      const { checkedKind } = await import('../plan/manifest-flags.js');
      return showKind(terminal, checkedKind(text), isJson);
    });
}

async function listKinds(terminal: Terminal, isJson: boolean): Promise<void> {
  const { describeKind } = await import('../../manifest/describe-kind.js');
  const { formatTable } = await import('../views/table.js');
  const kinds = KINDS.map(describeKind);
  if (isJson) return terminal.json({ schema: 1, kinds });
  const rows = kinds.map(({ kind, endpoint, columns }) => [
    kind,
    columns.flatMap(({ name, required }) => (required ? [name] : [])).join(', ') || '-',
    endpoint,
  ]);
  terminal.data(formatTable(rows, { head: ['kind', 'required', 'endpoint'] }));
  terminal.note(
    '\n`callsheet kinds KIND` shows every column and rule; `callsheet init KIND` writes a sample manifest.',
  );
}

async function showKind(terminal: Terminal, kind: Kind, isJson: boolean): Promise<void> {
  const { describeKind } = await import('../../manifest/describe-kind.js');
  const described = describeKind(kind);
  if (isJson) return terminal.json({ schema: 1, ...described });
  const { bold, dim } = terminal.dataColors;
  terminal.data(`${bold(kind)}: ${described.summary}`);
  terminal.data(dim(`${described.endpoint} (${described.source})`));
  for (const column of described.columns) {
    terminal.data(`\n  ${bold(column.name)}${column.required ? ' (required)' : ''}: ${column.rule}`);
    terminal.data(`    ${column.help}`);
  }
  terminal.data('\nColumns of every kind:');
  for (const { name, help } of described.common) terminal.data(`  ${bold(name)}: ${help}`);
  if (described.rules.length > 0) terminal.data('\nRules:');
  for (const rule of described.rules) terminal.data(`  - ${rule}`);
}
