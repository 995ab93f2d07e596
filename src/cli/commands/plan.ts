import type { Command } from 'commander';
import { type ChangedOrder, changedOption, keepsDependents, noDependentsOption } from '../batch/run-flags.js';
import type { Cli } from '../io.js';
import { hintsOf, openSession, withSettings } from '../open-session.js';
import { addManifestFlags, type ManifestFlags, readManifestFlags } from '../plan/manifest-flags.js';
import type { Session } from '../session.js';
import { sayChecking } from '../terminal.js';
import { EXIT, READ_EXIT_HELP } from '../user-error.js';

interface PlanFlags extends ManifestFlags {
  changed?: ChangedOrder;
  dependents: boolean;
}

/** `plan`: checks a whole manifest and shows what running it would do. Nothing is written and nothing is spent. */
export function definePlan(command: Command, cli: Cli): void {
  command
    .description('Checks a whole manifest and shows rows, costs, time and which cap binds. Spends and writes nothing.')
    .argument('<manifest>', 'CSV or JSONL file, or - for standard input');
  addManifestFlags(command);
  for (const option of [changedOption(), noDependentsOption()]) command.addOption(option.helpGroup('Running:'));
  withSettings(
    command,
    'run',
    [
      'callsheet plan shots.csv',
      'callsheet plan shots.csv --errors problems.csv --probe-urls',
      'callsheet plan shots.csv --max-credits 40 --json',
    ],
    `Without an API key and base URL, or with --no-network, the caps and the balance are not known; everything else is.\n\n${READ_EXIT_HELP}`,
  ).action(async (manifest: string) => {
    sayChecking(manifest, command, cli);
    const session = await openSession(command, cli);
    cli.exitCode = await showPlan(session, manifest, command.opts<PlanFlags>());
  });
}

async function showPlan(session: Session, manifest: string, flags: PlanFlags): Promise<number> {
  const { terminal, config } = session;
  const place = readManifestFlags(manifest, flags, session);
  const { batch } = place;
  const canRead = place.asksNetwork && config.baseUrl !== null && session.keyOrigin !== undefined;
  if (canRead) await session.apiKey();
  const { openHomeAccess } = await import('../access/home-access.js');
  const { planSubject, prepareBatch, warnOfLeaving } = await import('../plan/prepare-batch.js');
  const { makePlan } = await import('../plan/make-plan.js');
  const { planJson } = await import('../plan/make-plan.js');
  const { planLines } = await import('../plan/plan-view.js');
  const { approvalOf, spentBefore } = await import('../plan/approve-plan.js');
  const { tellRefused } = await import('../plan/errors-file.js');
  const { refuseChanged, refuseTakenNames } = await import('../plan/refuse-rows.js');
  const { refuseOtherOut } = await import('../batch/bound-name.js');
  const { lostFileLines } = await import('../batch/lost-files.js');
  const { storedAgainText } = await import('../batch/stored-again.js');
  const { readOwnCredits } = await import('../access/read-account.js');
  const at = { session, access: openHomeAccess(config), batch };
  await refuseOtherOut(at);
  const order = flags.changed ?? false;
  const isKept = keepsDependents(flags.changed, flags.dependents);
  const keepsFed = isKept ? { except: order } : undefined;
  const prepared = await prepareBatch(at, { place, retry: null, keep: false, keepsFed, reruns: order });
  await tellRefused(place.errorsFile, () => refuseTakenNames(prepared, place));
  await refuseChanged(at, place, prepared, order, isKept);
  const plan = await makePlan(at, planSubject(place, prepared), canRead ? await readOwnCredits(session) : undefined);
  await warnOfLeaving(at, place, prepared);
  const spent = config.budget.maxCredits === null ? undefined : await spentBefore(at);
  const approval = approvalOf(plan, config.budget, true, spent);
  const refused = approval.approval === 'refused' ? approval.why : null;
  if (session.isJson) terminal.json({ ...planJson(plan), leavingRows: prepared.leaving.size, refused });
  else for (const line of planLines(plan, hintsOf(session))) terminal.data(line);
  if (prepared.again.length > 0) terminal.note(storedAgainText(prepared.again, `${config.out}/${batch}`));
  for (const line of lostFileLines(prepared.lost, `${config.out}/${batch}`, hintsOf(session))) terminal.note(line);
  if (refused === null) return EXIT.done;
  // Not thrown: the plan is the one JSON document of this command.
  terminal.error(refused);
  return EXIT.usage;
}
