import { requiredBaseUrl } from '../../config/account-settings.js';
import type { RetryOrder } from '../../contract/workflows.js';
import type { BatchOptions, ResponseFormat } from '../../domain/batch-options.js';
import type { SlotTerms } from '../../domain/slot-terms.js';
import { clearCancelled, clearStopped, writeSampleGate } from '../../home/batch-marks.js';
import { writeBatchOptions } from '../../home/batch-order.js';
import { clearFollowers, orderRerun, rerunOrder } from '../../home/row-orders.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { proveBucket } from '../../store/open-store.js';
import { readOwnCredits } from '../access/account-reads.js';
import { type HomeAccess, openHomeAccess, openPlace } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import { placeRefused } from '../place-refused.js';
import { approvePlan, spentBefore } from '../plan/approve-plan.js';
import { bothOrders, type ChangedOrder } from '../plan/changed-flag.js';
import { changedByNow } from '../plan/compare-again.js';
import { keepFedRows, recordKept } from '../plan/keep-fed-rows.js';
import { leavingText } from '../plan/leaving-rows.js';
import { makePlan } from '../plan/make-plan.js';
import type { ManifestPlace } from '../plan/manifest-flags.js';
import { planLines, savedText } from '../plan/plan-view.js';
import { type PreparedBatch, planSubject, prepareBatch } from '../plan/prepare-batch.js';
import { refuseChanged } from '../plan/refuse-changed.js';
import { refuseFullDisk } from '../plan/refuse-full-disk.js';
import { coveredBy, refuseTakenNames } from '../plan/refuse-rows.js';
import { recordSkipped } from '../plan/skip-rows.js';
import { takenOver } from '../reuse/found-renders.js';
import { takeRenders } from '../reuse/take-renders.js';
import type { Session } from '../session.js';
import { finishWithoutWork } from './finish-without-work.js';
import { awaitAgain, lostFileLines } from './lost-files.js';
import { refuseOtherPlaces } from './other-places.js';
import { markAsOwn, refuseForgottenBatch, refuseOtherHome } from './same-home.js';
import { closeGate, type SampleOfRun, type SampleOrder, sampleOfRun, tellQuote } from './sample-run.js';
import { submitAndFollow } from './submit-and-follow.js';

/** Runs a manifest from its first check to its last row. */

export interface RunRequest {
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

interface Run {
  session: Session;
  request: RunRequest;
  access: HomeAccess;
  prepared: PreparedBatch;
  generation: GenerationFacts;
  /** Rows that were changed after a paid attempt are paid again. */
  mayRerun: ChangedOrder;
  sample: SampleOfRun | undefined;
}

/** Gives the exit code. Nothing that costs is sent before the whole manifest, the plan and the places are good. */
export async function runBatch(session: Session, request: RunRequest): Promise<number> {
  const { place } = request;
  const baseUrl = requiredBaseUrl(session.config);
  await session.apiKey();
  const access = openHomeAccess(session.config);
  await proveHome(session, access);
  await refuseOtherPlaces(session, access, { batch: place.batch, isSharedFolder: request.isSharedFolder }, baseUrl);
  await refuseOtherHome(session, access, place.batch, request.trustsHome);
  const keepsFed = request.keepsFed ? { except: request.rerunsChanged } : undefined;
  const prepared = await prepareBatch(session, { ...request, access, keep: true, keepsFed });
  const { generation } = prepared;
  if (generation === undefined) throw new Error('the rows were checked but not kept');
  const ordered = await rerunOrder(access.home, place.batch, generation.generation);
  const mayRerun = coveredBy(bothOrders(request.rerunsChanged, ordered), prepared.changed, request.keepsFed);
  await refuseChanged(access, place, prepared, mayRerun, request.keepsFed);
  refuseTakenNames(prepared, place);
  const leaving = await leavingText(access, place, prepared.leaving);
  if (leaving !== undefined) session.terminal.warn(leaving);
  const { retry } = request;
  const keepFed = keepsFed && keepFedRows(access, place.batch, request.rerunsChanged);
  const sample = await sampleOfRun(
    session,
    { access, batch: place.batch, generation, prepared, retry, keepFed },
    request.sample,
  );
  const rows = sample?.rows ?? prepared;
  const run: Run = { session, request, access, prepared, generation, mayRerun, sample };
  for (const line of lostFileLines(prepared.lost, `${session.config.out}/${place.batch}`)) session.terminal.note(line);
  const reused = takenOver(prepared.earlier);
  const isSeen = reused === undefined && prepared.kept.length === 0;
  const isRecorded = isSeen && prepared.skipped.every((skipped) => skipped.isRecorded);
  if (isRecorded && rows.finishedBefore.every((finished) => finished)) {
    if (sample?.isNew) await writeSampleGate(access.home, place.batch, sample.gate);
    const exitCode = await finishWithoutWork(run);
    return sample === undefined ? exitCode : tellQuote(session, { access, batch: place.batch, generation }, exitCode);
  }
  await access.home.bindBaseUrl(baseUrl);
  const credits = await readOwnCredits(session);
  const plan = await makePlan(session, access, { ...planSubject(place, prepared), rows }, credits);
  for (const line of planLines(plan)) session.terminal.note(line);
  await approvePlan(session, plan, request.isSaidYes, await spentBefore(session, access, place.batch));
  await provePlaces(run);
  const saving = plan.costs.total.shared > 0 ? savedText(plan.costs.total) : undefined;
  const toRun = { access, batch: place.batch, generation, rows, saving, reused, ...request };
  const exitCode = await submitAndFollow(session, toRun, (work) => takeOver(run, work));
  return sample === undefined ? exitCode : tellQuote(session, { access, batch: place.batch, generation }, exitCode);
}

/** A home in a bucket whose server lets two writers have one claim would pay twice: it is not used. */
async function proveHome({ config }: Session, { home }: HomeAccess): Promise<void> {
  try {
    await proveBucket(home.store);
  } catch (error) {
    throw placeRefused(config.home, error);
  }
}

/** A store that can be written, with room for the outputs. */
async function provePlaces({ session: { config }, prepared }: Run): Promise<void> {
  const out = openPlace(config, config.out, 'shared');
  try {
    await out.probe();
    await refuseFullDisk(out, prepared.outputBytes);
  } catch (error) {
    throw placeRefused(config.out, error);
  }
}

/**
 * The home as it must be before the first submit. Every refusal comes before the first change: the batch may run. From
 * here on no job submits a row with other values than this manifest gives it.
 */
async function takeOver(run: Run, work: WorkAccess): Promise<void> {
  const { session, request, access, prepared, generation, mayRerun } = run;
  const { config } = session;
  const { place, rerunsChanged } = request;
  const { batch, folder, file } = place;
  await refuseForgottenBatch(session, access, work, { batch, trusts: request.trustsHome });
  await refuseChanged(
    access,
    place,
    await changedByNow(access, batch, generation, prepared),
    mayRerun,
    request.keepsFed,
  );
  if (run.sample?.isNew) await closeGate(access, work, batch, run.sample.gate);
  await access.home.bindOut(batch, config.out, Date.now());
  const options: BatchOptions = {
    schema: 1,
    out: config.out,
    onExists: config.names.onExists,
    sidecar: config.names.sidecar,
    responseFormat: request.responseFormat,
    manifestFolder: folder,
    ...(file === undefined ? {} : { manifest: file }),
    maxOutputBytes: OUTPUT_BYTES_MAX,
  };
  await writeBatchOptions(access.home, batch, options);
  if (rerunsChanged !== false) await orderRerun(access.home, batch, generation.generation, mayRerun, Date.now());
  await recordSkipped(access, batch, prepared);
  await recordKept(access, batch, prepared);
  await takeRenders(session, { access, batch, generation, options, earlier: prepared.earlier });
  await access.rows.setCurrentGeneration(batch, generation.generation);
  await markAsOwn(access, batch);
  await clearStopped(access.home, batch);
  await clearFollowers(access.home, batch);
  if (request.retry !== null) await clearCancelled(access.home, batch);
  await awaitAgain(access, batch, prepared.lost);
}
