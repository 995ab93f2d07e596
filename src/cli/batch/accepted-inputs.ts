import type { RetryOrder } from '../../contract/workflows.js';
import type { ReasonCode } from '../../domain/failure.js';
import { type OutputFile, type RowRecord, retouchedText } from '../../domain/outcome.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { feedersOf } from '../../home/feeders.js';
import { noteReruns, rerunIds } from '../../home/row-orders.js';
import { type HomeAccess, openPlace, rowsOf } from '../access/home-access.js';
import { UserError } from '../user-error.js';
import { fileAsItLies } from './file-as-it-lies.js';
import type { KnownBatch } from './known-batch.js';
import { type RerunRow, readyToRerun, recordRerun } from './rerun-row.js';

/** Files that people retouched after they were rendered: by order they feed as they lie. */
export interface AcceptedInputs {
  /** The home as it will be then: what it costs is said before anything is changed. */
  access: HomeAccess;
  /** Looks at what feeds a row, in the manifest's order; throws a UserError where there is no file to take. */
  look(row: Row): Promise<void>;
  accept(): Promise<void>;
}

/** `isMeant`: rows that the retry is about. */
export async function createAcceptedInputs(
  known: KnownBatch,
  retry: RetryOrder,
  isMeant: (row: Row) => boolean,
): Promise<AcceptedInputs> {
  const { access, batch } = known;
  const retouched = new Map<string, Retouched>();
  /** Rows that keep their earlier file, since another render was ordered and these inputs stood in its way. */
  const again = new Map<string, RerunRow>();
  const feedAgain = new Set<number>();

  const seen = (record: RowRecord | undefined): RowRecord | undefined =>
    record !== undefined && again.has(record.id) ? { ...record, rerunAtMs: retry.beforeMs } : record;

  for (const { row, why } of await failedRows(known)) {
    const isStopped = why === 'input_changed' || fedMedia(row).some(({ at }) => feedAgain.has(at));
    if (!isStopped || !isOfClass(retry, why) || !isMeant(row)) continue;
    const ready = await readyToRerun(known, { row }, false);
    if (ready === undefined) continue;
    again.set(row.id, ready);
    feedAgain.add(row.index);
  }

  return {
    access: {
      ...access,
      records: {
        ...access.records,
        readRecord: async (of, id) => seen(await access.records.readRecord(of, id)),
        readRecords: async (of, ids) => (await access.records.readRecords(of, ids)).map(seen),
      },
    },
    async look(row) {
      if (fedMedia(row).length === 0) return;
      const own = await access.records.readRecord(batch, row.id);
      const isAgain = again.has(row.id);
      if (!isAgain && !isRunAgain(own, retry)) return;
      const why = isAgain ? own?.rerunFailedFor : own?.reasonCode;
      for (const one of await retouchedFor(known, row, why)) retouched.set(one.record.id, one);
    },
    async accept() {
      await acceptFiles(known, retouched.values());
      await noteReruns(access.home, batch, [...again.keys()]);
      const rows = [...again.values()];
      for (const one of rows) await recordRerun(known, one, { rows, atMs: retry.beforeMs });
    },
  };
}

/** A row of which another render was ordered, and why that brought nothing. */
interface FailedRow {
  row: Row;
  why: ReasonCode;
}

/** Each behind those of them that feed it: it may stand before them in the manifest. */
async function failedRows({ access, batch, generation }: KnownBatch): Promise<ReadonlySet<FailedRow>> {
  const reasons = new Map<string, ReasonCode>();
  for (const record of await access.records.readRecords(batch, await rerunIds(access.home, batch))) {
    if (record?.status !== 'done' || !record.flags.includes('rerun_failed')) continue;
    if (record.rerunFailedFor !== undefined) reasons.set(record.id, record.rerunFailedFor);
  }
  const inOrder = new Set<FailedRow>();
  if (reasons.size === 0) return inOrder;
  const failed = new Map<number, FailedRow>();
  for await (const { row } of rowsOf(access, batch, generation)) {
    const why = reasons.get(row.id);
    if (why !== undefined && fedMedia(row).length > 0) failed.set(row.index, { row, why });
  }
  const enter = (one: FailedRow | undefined): void => {
    if (one === undefined || inOrder.has(one)) return;
    for (const { at } of fedMedia(one.row)) enter(failed.get(at));
    inOrder.add(one);
  };
  for (const one of failed.values()) enter(one);
  return inOrder;
}

/** What has not started runs with every retry. */
function isRunAgain(own: RowRecord | undefined, retry: RetryOrder): boolean {
  if (own === undefined || own.status === 'not_started') return true;
  const isOver = own.status === 'failed' || own.status === 'cancelled';
  return isOver && isOfClass(retry, own.reasonCode ?? own.status);
}

function isOfClass({ classes }: RetryOrder, why: string): boolean {
  return classes.length === 0 || classes.includes(why);
}

/** A row that feeds, with its file as it lies. */
interface Retouched {
  record: RowRecord;
  file: OutputFile;
}

/** What feeds a row that is run again, where its file is another one by now; throws a UserError where there is none. */
async function retouchedFor(known: KnownBatch, row: Row, why: ReasonCode | undefined): Promise<Retouched[]> {
  const { access, batch, out } = known;
  const store = openPlace(access.config, out, 'shared');
  const found: Retouched[] = [];
  for (const { record, file } of await feedersOf(access, { batch, generation: known.generation.generation }, row)) {
    if (record === undefined || file === undefined) continue;
    const lies = await fileAsItLies(store, batch, file.file);
    if (lies === undefined) {
      // Of what is not run for its sake it is fetched again as far as it lives.
      if (why !== 'input_changed') continue;
      throw new UserError(`${file.file} of row '${record.id}' is gone: put a file there; nothing was submitted`);
    }
    if (lies.file.sha256 === file.sha256) continue;
    if (!lies.isMedia) {
      throw new UserError(`${file.file} of row '${record.id}' cannot be opened as media; nothing was submitted`);
    }
    found.push({ record, file: lies.file });
  }
  return found;
}

/** From here on the record of the row that feeds tells of the file that lies there. */
async function acceptFiles(known: KnownBatch, retouched: Iterable<Retouched>): Promise<void> {
  const { batch } = known;
  const { home, records } = known.access;
  for (const { record, file } of retouched) {
    const warning = retouchedText(file.file);
    // What was made with the file as it was is told from what is made with this one.
    await noteReruns(home, batch, [record.id]);
    known.session.terminal.note(`${file.file} of row '${record.id}' is taken as it lies`);
    await records.changeRecord(batch, record.id, (now = record) => {
      if (now.finishedAtMs !== record.finishedAtMs) return undefined;
      const warnings = [...now.warnings.filter((one) => one !== warning), warning];
      return { ...now, files: [file, ...now.files.slice(1)], warnings };
    });
  }
}
