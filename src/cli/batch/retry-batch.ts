import { join } from 'node:path';
import { feedersOf } from '../../../activities/feeders.js';
import type { BatchResult, RetryOrder } from '../../contract/workflows.js';
import type { OutputFile, RowRecord } from '../../domain/outcome.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { isS3Address } from '../../domain/s3.js';
import { clearCancelled, clearStopped, sampleInForce } from '../../home/batch-marks.js';
import { clearFollowers, noteReruns } from '../../home/row-orders.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { readMediaFacts } from '../../store/media-facts.js';
import { sniffMedia } from '../../store/media-type.js';
import { peekBytes } from '../../store/outputs.js';
import type { Store } from '../../store/port.js';
import { type HomeAccess, openHomeAccess, openPlace } from '../access/home-access.js';
import { readOwnCredits } from '../access/read-account.js';
import { approvePlan, spentBefore } from '../plan/approve-plan.js';
import { createChainsLeft } from '../plan/chains-left.js';
import { makePlan } from '../plan/make-plan.js';
import { planLines } from '../plan/plan-view.js';
import { type CountedRows, createRowCounter } from '../plan/row-counter.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { closeBatch } from './close-batch.js';
import { newJsonEvents } from './json-events.js';
import { knownBatch, refuseOtherHome } from './known-batch.js';
import { submitAndFollow } from './submit-and-follow.js';

/** Runs failed and cancelled rows of a batch again, from the rows that the home keeps. */
export async function retryBatch(
  session: Session,
  batch: string,
  order: {
    retry: RetryOrder;
    retries: number;
    isSaidYes: boolean;
    trustsHome: boolean;
    /** Files that feed rows and were changed since are taken as they lie. */
    acceptsInputs: boolean;
  },
): Promise<number> {
  const { terminal } = session;
  await session.apiKey();
  const access = openHomeAccess(session.config);
  const { generation, out } = await knownBatch(session, access, batch);
  await refuseOtherHome(session, access, batch, order.trustsHome);
  const { retry } = order;
  const sample = await sampleInForce(access.home, batch, generation.generation);
  const counter = await createRowCounter(session, {
    access,
    batch,
    retry,
    takenNames: undefined,
    outputs: undefined,
  });
  const chains = createChainsLeft();
  const retouched = new Map<string, Retouched>();
  for (const part of generation.parts.keys()) {
    for (const { row } of await access.rows.readPart(batch, generation.generation, part)) {
      if (sample?.has(row.id) === false) continue;
      await counter.add(row);
      chains.add(row);
      if (!order.acceptsInputs || fedMedia(row).length === 0) continue;
      const found = await retouchedFor(access, { batch, generation: generation.generation, out }, row);
      for (const one of found) retouched.set(one.record.id, one);
    }
  }
  const rows = await counter.finish();
  if (rows.finishedBefore.every((finished) => finished)) {
    const which = retry.classes.length === 0 ? '' : ` of class ${retry.classes.join(', ')}`;
    terminal.note(`'${batch}' has no failed or cancelled row${which}: nothing is run again`);
    const held = sample === undefined ? 0 : generation.rows - rows.finishedBefore.filter((isRow) => isRow).length;
    return tellEnd(session, { access, batch, generation, out, rows, held });
  }
  const credits = await readOwnCredits(session);
  const plan = await makePlan(
    session,
    access,
    { batch, manifest: 'retry', rows, costNotes: [], chains: chains.totals(rows.finishedBefore) },
    credits,
  );
  for (const line of planLines(plan)) terminal.note(line);
  await approvePlan(session, plan, order.isSaidYes, await spentBefore(session, access, batch));
  await acceptFiles(access, batch, retouched.values(), (line) => terminal.note(line));
  await clearCancelled(access.home, batch);
  await clearStopped(access.home, batch);
  await clearFollowers(access.home, batch);
  return submitAndFollow(session, { access, batch, generation, rows, ...order });
}

/** Nothing was run: how the batch stands is told as at its end, with the rows that need a person. */
async function tellEnd(
  session: Session,
  {
    access,
    batch,
    generation,
    out,
    rows,
    held,
  }: {
    access: HomeAccess;
    batch: string;
    generation: GenerationFacts;
    out: string;
    rows: CountedRows;
    /** Rows that a sample holds back. */
    held: number;
  },
): Promise<number> {
  const { ended, endedNano: creditsNano, endedUnknown: creditsUnknown } = rows.tally;
  const events = newJsonEvents(session, access, batch);
  const facts = { generation: generation.generation, out, events, finishedBefore: rows.finishedBefore, lost: [] };
  events?.started({ generation: generation.generation, rows: generation.rows, toRun: 0, out: `${out}/${batch}` });
  const counts = { ...ended, not_started: ended.not_started + held };
  const result: BatchResult = { counts, creditsNano, creditsUnknown };
  return closeBatch(session, { access, batch, result, ...facts, tookMs: undefined });
}

/** Files that people retouched after they were rendered: by order they feed as they lie. */

/** A row that feeds, with its file as it lies. */
export interface Retouched {
  record: RowRecord;
  file: OutputFile;
}

interface Place {
  batch: string;
  generation: string;
  out: string;
}

/** As much of a file as a store shows before it is committed. */
const HEAD_BYTES = 1 << 18;

/** What feeds a row that ended since a file was another one; throws a UserError where there is no file to be taken. */
export async function retouchedFor(access: HomeAccess, place: Place, row: Row): Promise<Retouched[]> {
  const own = await access.records.readRecord(place.batch, row.id);
  if (own?.status !== 'not_started' || own.reasonCode !== 'input_changed') return [];
  const store = openPlace(access.config, place.out, 'shared');
  const found: Retouched[] = [];
  for (const { record, file } of await feedersOf(access, place, row)) {
    if (record === undefined || file === undefined) continue;
    const lies = await fileAsItLies(store, place, record.id, file);
    if (lies.sha256 !== file.sha256) found.push({ record, file: lies });
  }
  return found;
}

/** From here on the record of the row that feeds tells of the file that lies there. */
export async function acceptFiles(
  { home, records }: HomeAccess,
  batch: string,
  retouched: Iterable<Retouched>,
  tell: (line: string) => void,
): Promise<void> {
  for (const { record, file } of retouched) {
    const warning = `${file.file} was changed after it was rendered, and is taken as it is`;
    const warnings = [...record.warnings.filter((one) => one !== warning), warning];
    // What was made with the file as it was is told from what is made with this one.
    await noteReruns(home, batch, [record.id]);
    tell(`${file.file} of row '${record.id}' is taken as it lies`);
    await records.writeRecord(batch, { ...record, files: [file, ...record.files.slice(1)], warnings });
  }
}

async function fileAsItLies(store: Store, { batch, out }: Place, id: string, file: OutputFile): Promise<OutputFile> {
  const key = `${batch}/${file.file}`;
  const stored = await store.stat(key);
  const source = stored && (await store.read(key));
  if (stored === undefined || source === undefined) {
    throw new UserError(`${file.file} of row '${id}' is gone: put a file there; nothing was submitted`);
  }
  const { head, close } = await peekBytes(source, HEAD_BYTES);
  await close();
  const type = sniffMedia(head);
  const localPath = isS3Address(out) ? {} : { localPath: join(out, key) };
  const reading = type && (await readMediaFacts(type, { ...stored, head, ...localPath }));
  if (type === undefined || reading === undefined || 'problem' in reading) {
    throw new UserError(`${file.file} of row '${id}' cannot be opened as media; nothing was submitted`);
  }
  return { file: file.file, contentType: type.contentType, ...stored, ...reading.facts };
}
