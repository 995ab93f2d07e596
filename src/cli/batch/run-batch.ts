import { requiredBaseUrl } from '../../config/make-config.js';
import type { RetryOrder } from '../../contract/workflows.js';
import type { BatchOptions, ResponseFormat, SlotTerms } from '../../domain/batch.js';
import { defined } from '../../domain/defined.js';
import { clearStopped, writeSampleGate } from '../../home/batch-marks.js';
import { batchOptions, readBatchOrder, writeBatchOptions } from '../../home/batch-order.js';
import { clearFollowers, orderRerun, rerunOrder } from '../../home/row-orders.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { takeBackCancel } from '../../home/run-order.js';
import { type BatchPlace, openHomeAccess } from '../access/home-access.js';
import { readOwnCredits } from '../access/read-account.js';
import type { WorkAccess } from '../access/work-access.js';
import { hintsOf } from '../open-session.js';
import { approvePlan } from '../plan/approve-plan.js';
import { tellRefused } from '../plan/errors-file.js';
import { keepFedRows, recordKept, recordSkipped } from '../plan/kept-rows.js';
import { makePlan } from '../plan/make-plan.js';
import type { ManifestPlace } from '../plan/manifest-flags.js';
import { planLines, savedText } from '../plan/plan-view.js';
import { type PreparedBatch, planSubject, prepareBatch, warnOfLeaving } from '../plan/prepare-batch.js';
import { changedByNow, coveredBy, refuseChanged, refuseTakenNames } from '../plan/refuse-rows.js';
import { takenOver } from '../reuse/found-renders.js';
import { takeRenders } from '../reuse/take-renders.js';
import type { Session } from '../session.js';
import { refuseForgottenBatch } from './batch-source.js';
import { copyAgain } from './copy-again.js';
import { markAsOwn, proveHome, refuseOtherHome, refuseOtherPlaces } from './known-batch.js';
import { awaitAgain, lostFileLines } from './lost-files.js';
import { proveOut } from './prove-out.js';
import { tellApproved, tellUnheld } from './resume-refusals.js';
import { bothOrders, type ChangedOrder } from './run-flags.js';
import { tellQuote } from './sample-quote.js';
import { closeGate, type SampleOfRun, type SampleOrder, sampleOfRun } from './sample-run.js';
import { takeStoredAgain } from './stored-again.js';
import { finishWithoutWork, submitAndFollow } from './submit-and-follow.js';

/** Runs a manifest from its first check to its last row. */

interface RunRequest {
  place: ManifestPlace;
  retry: RetryOrder | null;
  retries: number;
  rerunsChanged: ChangedOrder;
  /** What the changed rows feed stays as it is. */
  keepsFed: boolean;
  /** The manifest's order, where rows feed others. */
  isBreadthFirst: boolean;
  /** How the batch shares the slots, as far as it is given. */
  slots: Partial<SlotTerms>;
  isSaidYes: boolean;
  isSharedFolder: boolean;
  /** A person says that the home is right, whatever outputs or Temporal tell. */
  trustsHome: boolean;
  responseFormat: ResponseFormat;
  /** Only rows that stand for the manifest are run, until a person approves the rest. */
  sample: SampleOrder | undefined;
}

/** Outputs beyond this are not the service's, whatever it says. */
const OUTPUT_BYTES_MAX = 4 * 1024 ** 3;

interface Run extends BatchPlace {
  request: RunRequest;
  prepared: PreparedBatch;
  generation: GenerationFacts;
  /** Rows that were changed after a paid attempt are paid again. */
  mayRerun: ChangedOrder;
  sample: SampleOfRun | undefined;
}

/** Gives the exit code. Nothing that costs is sent before the whole manifest, the plan and the places are good. */
export async function runBatch(session: Session, request: RunRequest): Promise<number> {
  const { place, retry, keepsFed } = request;
  const { batch } = place;
  const { config, terminal } = session;
  const baseUrl = requiredBaseUrl(config);
  await session.apiKey();
  const access = openHomeAccess(config);
  const at: BatchPlace = { session, access, batch };
  await proveHome(access);
  await refuseOtherPlaces(at, baseUrl, request.isSharedFolder);
  await refuseOtherHome(at, request.trustsHome);
  const kept = keepsFed ? { except: request.rerunsChanged } : undefined;
  const prepared = await prepareBatch(at, { place, retry, keep: true, keepsFed: kept, reruns: request.rerunsChanged });
  const { generation } = prepared;
  if (generation === undefined) throw new Error('the rows were checked but not kept');
  const ordered = await rerunOrder(access.home, batch, generation.generation);
  const mayRerun = coveredBy(bothOrders(request.rerunsChanged, ordered), prepared.changed, keepsFed);
  await refuseChanged(at, place, prepared, mayRerun, keepsFed);
  await tellRefused(place.errorsFile, () => refuseTakenNames(prepared, place));
  await warnOfLeaving(at, place, prepared);
  await takeStoredAgain(at, config.out, prepared.again);
  prepared.lost = await copyAgain({ ...at, ...generation }, config.out, prepared.lost);
  const keepFed = kept && keepFedRows(at, request.rerunsChanged);
  const sample = await sampleOfRun({ ...at, generation, prepared, retry, keepFed }, request.sample);
  if (sample === undefined) await tellApproved({ ...at, generation });
  const rows = sample?.rows ?? prepared;
  const quoted = async (exitCode: number): Promise<number> =>
    sample === undefined ? exitCode : tellQuote({ ...at, generation }, exitCode);
  for (const line of lostFileLines(prepared.lost, `${config.out}/${batch}`, hintsOf(session))) terminal.note(line);
  const reused = takenOver(prepared.earlier);
  const isSeen = reused === undefined && prepared.kept.length === 0;
  const isRecorded = isSeen && prepared.skipped.every((skipped) => skipped.isRecorded);
  if (isRecorded && rows.finishedBefore.every((finished) => finished)) {
    if (sample?.isNew) await writeSampleGate(access.home, batch, sample.gate);
    // Rows that were ordered again may lie beyond the sample: whoever approves the rest has them rendered.
    await keepRerunOrder({ ...at, generation, request, mayRerun });
    await mendBatch({ ...at, generation, request });
    await tellUnheld({ ...at, generation }, request.slots, sample !== undefined);
    return quoted(await finishWithoutWork({ ...at, generation, out: config.out }, prepared));
  }
  await access.home.bindBaseUrl(baseUrl);
  const { chains = prepared.summary.chains } = sample ?? {};
  const subject = { ...planSubject(place, prepared), rows, chains };
  const plan = await makePlan(at, subject, await readOwnCredits(session));
  for (const line of planLines(plan, hintsOf(session))) terminal.note(line);
  await approvePlan(at, plan, request.isSaidYes);
  await proveOut(at, prepared.outputBytes);
  const saving = plan.costs.total.shared > 0 ? savedText(plan.costs.total) : undefined;
  const { byKind: plannedCosts } = plan.costs;
  const run: Run = { ...at, request, prepared, generation, mayRerun, sample };
  return quoted(
    await submitAndFollow({ ...request, ...run, rows, plannedCosts, saving, reused }, (work) => takeOver(run, work)),
  );
}

/**
 * The home as it must be before the first submit. Every refusal comes before the first change: the batch may run. From
 * here on no job submits a row with other values than this manifest gives it.
 */
async function takeOver(run: Run, work: WorkAccess): Promise<void> {
  const { request, access, batch, prepared, generation, mayRerun } = run;
  const { place } = request;
  await refuseForgottenBatch(run, work, request.trustsHome);
  await refuseChanged(run, place, await changedByNow(run, prepared), mayRerun, request.keepsFed);
  if (run.sample?.isNew) await closeGate(run, work, run.sample.gate);
  await access.home.bindOut(batch, access.config.out, Date.now());
  const options = optionsOf(run);
  await writeBatchOptions(access.home, batch, options);
  await keepRerunOrder(run);
  await recordSkipped(access, batch, prepared);
  await recordKept(access, batch, prepared);
  await takeRenders({ ...run, options, earlier: prepared.earlier });
  await access.rows.setCurrentGeneration(batch, generation.generation);
  await markAsOwn(access, batch);
  await clearStopped(access.home, batch);
  await clearFollowers(access.home, batch);
  if (request.retry !== null) await takeBackCancel(access.home, batch);
  await awaitAgain(access, batch, prepared.lost);
}

function optionsOf({
  access: { config },
  request: { place, responseFormat },
}: Pick<Run, 'access' | 'request'>): BatchOptions {
  return {
    schema: 1,
    out: config.out,
    onExists: config.names.onExists,
    sidecar: config.names.sidecar,
    responseFormat,
    manifestFolder: place.folder,
    ...defined({ manifest: place.file, format: place.format, delimiter: place.delimiter, kind: place.defaultKind }),
    maxOutputBytes: OUTPUT_BYTES_MAX,
  };
}

/** What cannot be read of a batch that is finished is said anew by the command that began it. */
async function mendBatch(run: Pick<Run, 'session' | 'access' | 'batch' | 'generation' | 'request'>): Promise<void> {
  const { access, batch, request, generation } = run;
  if ((await batchOptions.read(access.home, batch)) === undefined)
    await writeBatchOptions(access.home, batch, optionsOf(run));
  if (!(await readBatchOrder(access.home, batch))?.isDamaged) return;
  const { mendOrder } = await import('./submit-batch.js');
  await mendOrder(run, { ...request, ...generation });
}

/** What `--changed` said holds for the manifest that it was said with, until that is edited again. */
async function keepRerunOrder(
  run: Pick<Run, 'request' | 'access' | 'batch' | 'generation' | 'mayRerun'>,
): Promise<void> {
  const { request, access, batch, generation, mayRerun } = run;
  if (request.rerunsChanged === false) return;
  await orderRerun(access.home, batch, generation.generation, mayRerun, Date.now());
}
