import { setTimeout as delay } from 'node:timers/promises';
import type { Attempt } from '../../domain/attempt.js';
import type { BatchOptions } from '../../domain/batch.js';
import { defined } from '../../domain/defined.js';
import { isRecordOf, type RowRecord } from '../../domain/outcome.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { isKnownUnbilled, standingOf } from '../../domain/standing.js';
import { fedFiles, fedInputs } from '../../home/feeders.js';
import { statesOf } from '../../home/row-standing.js';
import { type RowWork, withFeeders } from '../../home/row-work.js';
import { rowAt } from '../../home/rows.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { modelOf } from '../../manifest/columns.js';
import { parallel } from '../../store/parallel.js';
import { type Store, StoreError } from '../../store/port.js';
import { sidecarOf, writeSidecars } from '../../store/sidecar.js';
import { type BatchPlace, openPlace, refusePlace } from '../access/home-access.js';
import { UserError } from '../user-error.js';
import { createRenderCheck, type RenderCheck } from './check-render.js';
import { type CopyTarget, copyOutput } from './copy-output.js';
import { type FoundRenders, type RenderSource, takenOver } from './found-renders.js';

/**
 * Takes earlier renders over before a batch is handed to its workflow, which then finds these rows done. Each row is
 * whole by itself: what a killed command has not come to is taken over by the next one.
 */

const COPY_WIDTH = 16;
const SAID_EVERY_MS = 2_000;
/** The record follows the file at once, unless the file is large or cannot be stored. */
const RECORD_MAX_MS = 10_000;
const RECORD_EVERY_MS = 250;

interface TakeOver extends BatchPlace {
  generation: GenerationFacts;
  options: BatchOptions;
  earlier: FoundRenders | undefined;
}

export async function takeRenders(order: TakeOver): Promise<void> {
  const { session, access, batch, generation, options, earlier } = order;
  const total = takenOver(earlier)?.count() ?? 0;
  if (earlier === undefined || total === 0) return;
  const out = openPlace(session.config, options.out, 'shared');
  const taking: Taking = { ...order, found: earlier, out, check: createRenderCheck(access), underWay: new Map() };
  let taken = 0;
  let nextAtMs = Date.now() + SAID_EVERY_MS;
  for (const part of generation.parts.keys()) {
    const rows = await access.rows.readPart(batch, generation.generation, part);
    const found = rows.flatMap(({ row }) => {
      const source = earlier.sources.get(row.index);
      return source === undefined ? [] : [{ row, source }];
    });
    await parallel(found, COPY_WIDTH, async ({ row, source }) => {
      await take(taking, row, source);
      taken += 1;
      if (Date.now() < nextAtMs) return;
      nextAtMs = Date.now() + SAID_EVERY_MS;
      session.terminal.note(`taking over earlier renders: ${taken} of ${total}`);
    });
  }
}

interface Taking extends TakeOver {
  found: FoundRenders;
  out: Store;
  check: RenderCheck;
  /** By index: a row that feeds others is asked for by them too. */
  underWay: Map<number, Promise<void>>;
}

function take(taking: Taking, row: Row, source: RenderSource): Promise<void> {
  const { underWay, options } = taking;
  const begun = underWay.get(row.index);
  if (begun !== undefined) return begun;
  const taken = takeOne(taking, row, source)
    .catch((error: unknown) => {
      if (error instanceof StoreError && error.code === 'CHANGED') throw changed(source);
      refusePlace(options.out, error);
    })
    .finally(() => underWay.delete(row.index));
  underWay.set(row.index, taken);
  return taken;
}

async function takeOne(taking: Taking, row: Row, source: RenderSource): Promise<void> {
  const { batch, options, out, check } = taking;
  const now = await untouched(taking, row);
  if (now === undefined) return;
  const [record, store] = await Promise.all([check.record(source), check.store(source.batch)]);
  if (record === undefined || store === undefined) throw changed(source);
  const from = { store, batch: source.batch };
  // The file that it has of other values keeps its name, as it does where the row is rendered again.
  const onExists = now.own?.status === 'done' ? 'version' : options.onExists;
  const to: CopyTarget = { store: out, batch, row, onExists };
  const copies = await Promise.all(record.files.map((file, position) => copyOutput(from, file, to, position)));
  const { row: fed, feeders } = await takeFeeders(taking, row);
  const { seed, revisedPrompt, warnings, submittedAtMs: reusedSubmittedAtMs } = record;
  const takenAfter = ({ attempts }: Untouched): RowRecord => ({
    schema: 1,
    id: row.id,
    kind: row.kind,
    status: 'done',
    flags: [],
    warnings,
    attempts: attempts.filter((attempt) => standingOf(attempt) !== 'void').length,
    files: copies.map(({ output }) => output),
    ...defined({ seed, revisedPrompt }),
    creditsNano: 0,
    creditsBasis: 'price-book',
    finishedAtMs: Date.now(),
    reusedFrom: `${source.batch}/${source.id}`,
    ...defined({ reusedSubmittedAtMs }),
    ...fedInputs({ feeders }),
    rowHash: row.hash,
    seenStates: statesOf(attempts),
  });
  const keys = copies.flatMap(({ key, isNew }) => (isNew ? [key] : []));
  const before = await untouched(taking, row);
  if (before !== undefined && options.sidecar === true) {
    const taken = takenAfter(before);
    const sidecar = sidecarOf(fed, taken, modelOf(row), fedFiles(feeders, taken));
    keys.push(...(await writeSidecars(out, batch, taken, sidecar)));
  }
  if (before === undefined || !(await recordTaken(taking, row, takenAfter))) await dropCopies(taking, row, keys);
}

/** A row that nothing was paid for. */
interface Untouched {
  attempts: Attempt[];
  own: RowRecord | undefined;
}

/** Undefined where the row has its output or may be at the service: the batch may run, and come to it at any time. */
async function untouched({ access, batch }: Taking, row: Row): Promise<Untouched | undefined> {
  const [attempts, own] = await Promise.all([
    access.ledger.read(batch, row.id),
    access.records.readRecord(batch, row.id),
  ]);
  if (!attempts.every((attempt) => isKnownUnbilled(standingOf(attempt)))) return undefined;
  return own?.status === 'done' && isRecordOf(own, row.hash) ? undefined : { attempts, own };
}

/** Looked at again, since a copy takes its time: the record of an output that was paid for must not be replaced. */
async function recordTaken(taking: Taking, row: Row, takenAfter: (now: Untouched) => RowRecord): Promise<boolean> {
  const { access, batch } = taking;
  const now = await untouched(taking, row);
  if (now === undefined) return false;
  if (now.own === undefined) return access.records.addRecord(batch, takenAfter(now));
  const taken = await access.records.changeRecord(batch, row.id, async () => {
    const then = await untouched(taking, row);
    return then && takenAfter(then);
  });
  return taken !== undefined;
}

/**
 * Takes back what was copied for a row that has come to an output of its own, in whose way it would be. That output may
 * be the same bytes under the same name, as its record tells once it is stored.
 */
async function dropCopies({ access, batch, out }: Taking, { id }: Row, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const giveUpMs = performance.now() + RECORD_MAX_MS;
  let own = await access.records.readRecord(batch, id);
  while (!own?.files.length && (await isStored(access, batch, id)) && performance.now() < giveUpMs) {
    await delay(RECORD_EVERY_MS);
    own = await access.records.readRecord(batch, id);
  }
  const ofRow = own?.files.map(({ file }) => `${batch}/${file}`) ?? [];
  const isOfRow = (key: string) => ofRow.some((file) => key === file || key.startsWith(`${file}.`));
  for (const key of keys) if (!isOfRow(key)) await out.remove(key);
}

/** Whether its output may be stored already, or is just being stored. */
async function isStored({ ledger }: Taking['access'], batch: string, id: string): Promise<boolean> {
  const standings = (await ledger.read(batch, id)).map(standingOf);
  return standings.some((standing) => standing === 'rendered' || standing === 'done');
}

/** What feeds the row is an earlier render as well, which goes first so that its file has its name, or was done before. */
async function takeFeeders(taking: Taking, row: Row): Promise<Pick<RowWork, 'row' | 'feeders'>> {
  const { access, batch, found } = taking;
  const { generation } = taking.generation;
  for (const { at } of fedMedia(row)) {
    const source = found.sources.get(at);
    const feeding = source && (await rowAt(access.rows, batch, generation, at))?.stored.row;
    if (source !== undefined && feeding !== undefined) await take(taking, feeding, source);
  }
  return withFeeders(access, { batch, generation }, row);
}

function changed({ batch, id }: RenderSource): UserError {
  return new UserError(
    `the render of row '${id}' of batch '${batch}' changed while it was taken over; nothing was submitted: run the same command again`,
  );
}
