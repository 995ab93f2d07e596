import { type Command, Option } from 'commander';
import type { RetryOrder } from '../../contract/workflows.js';
import type { ResponseFormat } from '../../domain/batch.js';
import { EVERY_CLASS } from '../../domain/reasons.js';
import {
  type ChangedOrder,
  changedOption,
  keepsDependents,
  newRetry,
  noDependentsOption,
  retriesOption,
  slotFlags,
  slotOptions,
  wholeNumber,
} from '../batch/run-flags.js';
import type { Cli } from '../io.js';
import { openSession, trustHomeOption, withSettings } from '../open-session.js';
import { addManifestFlags, type ManifestFlags, readManifestFlags } from '../plan/manifest-flags.js';
import { sayChecking } from '../terminal.js';
import { RUN_EXIT_HELP, UserError } from '../user-error.js';

interface RunFlags extends ManifestFlags {
  yes?: boolean;
  retryFailed?: string;
  retries: number;
  changed?: ChangedOrder;
  dependents: boolean;
  order: 'depth' | 'breadth';
  sharedFolder?: boolean;
  trustHome?: boolean;
  responseFormat: ResponseFormat;
  sample?: number;
  another?: boolean;
  weight?: number;
  priority?: number;
}

/** `run`: a manifest from its first check to its last file. */
export function defineRun(command: Command, cli: Cli): void {
  command
    .description(
      'Checks a whole manifest, shows what it will cost, and runs it durably in the background while you watch.\n' +
        'The same command again continues: finished rows are skipped, running ones joined, new ones added.',
    )
    .argument('<manifest>', 'CSV or JSONL file, or - for standard input');
  addManifestFlags(command);
  for (const option of runOptions()) command.addOption(option.helpGroup('Running:'));
  withSettings(command, 'run', EXAMPLES, ENDING).action(async (manifest: string) => {
    sayChecking(manifest, command, cli);
    const session = await openSession(command, cli);
    const flags = command.opts<RunFlags>();
    if (flags.another && flags.sample === undefined) throw new UserError('--another goes with --sample <n>');
    const place = readManifestFlags(manifest, flags, session);
    const { runBatch } = await import('../batch/run-batch.js');
    cli.exitCode = await runBatch(session, {
      place,
      retry: retryOf(flags),
      retries: flags.retries,
      rerunsChanged: flags.changed ?? false,
      keepsFed: keepsDependents(flags.changed, flags.dependents),
      isBreadthFirst: flags.order === 'breadth',
      slots: slotFlags(flags),
      isSaidYes: flags.yes === true,
      isSharedFolder: flags.sharedFolder === true,
      trustsHome: flags.trustHome === true,
      responseFormat: flags.responseFormat,
      sample: flags.sample === undefined ? undefined : { rows: flags.sample, takesOthers: flags.another === true },
    });
  });
}

function retryOf({ retryFailed }: RunFlags): RetryOrder | null {
  if (retryFailed === undefined) return null;
  return newRetry(retryFailed === EVERY_CLASS ? undefined : retryFailed, '--retry-failed');
}

function runOptions(): Option[] {
  return [
    new Option('-y, --yes', 'submit without asking'),
    new Option('--sample <n>', 'run only so many rows that stand for the others; `approve` runs the rest').argParser(
      wholeNumber(1, 9_999),
    ),
    new Option('--another', 'with --sample: rows that no sample had yet'),
    // The class only behind `=`: run-cli sees to it that the manifest is never taken for one.
    new Option(
      '--retry-failed [class]',
      'run failed and cancelled rows again, or only those of this class or reason_code',
    ),
    retriesOption().default(0),
    changedOption(),
    noDependentsOption(),
    new Option(
      '--order <order>',
      'depth: carry chains of rows through before new ones begin; breadth: as the manifest has them',
    )
      .choices(['depth', 'breadth'])
      .default('depth'),
    new Option('--response-format <format>', 'how synchronous answers carry their output')
      .choices(['url', 'b64_json'])
      .default('url'),
    ...slotOptions(),
    trustHomeOption(),
    new Option('--shared-folder', 'with a shared Temporal: every worker reaches --out and the home by these paths'),
  ];
}

const EXAMPLES = [
  'callsheet run shots.csv',
  'callsheet run shots.csv --out /media/shots --max-credits 40',
  'callsheet run shots.csv --sample 8 --yes',
  'callsheet run shots.csv --retry-failed=render_failed',
  'cat shots.jsonl | callsheet run - --name shots --format jsonl --yes --json',
];
const ENDING = `Ctrl-C detaches: the work goes on. \`callsheet watch\` follows it again, \`callsheet cancel\` stops new submits.

${RUN_EXIT_HELP}`;
