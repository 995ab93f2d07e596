import type { BatchOptions } from '../../domain/batch.js';
import { defined } from '../../domain/defined.js';
import { isRecordOf, type OutputFile, type RowRecord } from '../../domain/outcome.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { isKnownUnbilled, standingOf } from '../../domain/standing.js';
import { fedFiles, fedInputs } from '../../home/feeders.js';
import { statesOf } from '../../home/row-standing.js';
import { type RowWork, withFeeders } from '../../home/row-work.js';
import { rowAt } from '../../home/rows.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { modelOf } from '../../manifest/columns.js';
import { parallel } from '../../store/parallel.js';
import { type CommittedFile, type CopyOptions, type Store, StoreError } from '../../store/port.js';
import { sidecarOf, writeSidecars } from '../../store/sidecar.js';
import { type BatchPlace, openPlace, refusePlace } from '../access/home-access.js';
import { UserError } from '../user-error.js';
import { createRenderCheck, type RenderCheck } from './check-render.js';
import { type FoundRenders, type RenderSource, takenOver } from './found-renders.js';

/**
 * Takes earlier renders over before a batch is handed to its workflow, which then finds these rows done. Each row is
 * whole by itself: what a killed command has not come to is taken over by the next one.
 */

const COPY_WIDTH = 16;
const SAID_EVERY_MS = 2_000;

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
  const { access, batch, options, out, check } = taking;
  const [attempts, own] = await Promise.all([
    access.ledger.read(batch, row.id),
    access.records.readRecord(batch, row.id),
  ]);
  // The batch may run already, and have come to the row since it was looked at.
  if (!attempts.every((attempt) => isKnownUnbilled(standingOf(attempt)))) return;
  if (own?.status === 'done' && isRecordOf(own, row.hash)) return;
  const [record, store] = await Promise.all([check.record(source), check.store(source.batch)]);
  if (record === undefined || store === undefined) throw changed(source);
  const from = { store, batch: source.batch };
  const to = { store: out, batch, row, onExists: options.onExists };
  const files = await Promise.all(record.files.map((file, position) => copyOutput(from, file, to, position)));
  const { row: fed, feeders } = await takeFeeders(taking, row);
  const { seed, revisedPrompt, warnings, submittedAtMs: reusedSubmittedAtMs } = record;
  const taken: RowRecord = {
    schema: 1,
    id: row.id,
    kind: row.kind,
    status: 'done',
    flags: [],
    warnings,
    attempts: attempts.filter((attempt) => standingOf(attempt) !== 'void').length,
    files,
    ...defined({ seed, revisedPrompt }),
    creditsNano: 0,
    creditsBasis: 'price-book',
    finishedAtMs: Date.now(),
    reusedFrom: `${source.batch}/${source.id}`,
    ...defined({ reusedSubmittedAtMs }),
    ...fedInputs({ feeders }),
    rowHash: row.hash,
    seenStates: statesOf(attempts),
  };
  if (options.sidecar === true) {
    await writeSidecars(out, batch, taken, sidecarOf(fed, taken, modelOf(row), fedFiles(feeders, taken)));
  }
  await access.records.writeRecord(batch, taken);
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

/** The store and the batch in it that a file is copied to, and the row that it becomes an output of. */
interface CopyTarget {
  store: Store;
  batch: string;
  row: Row;
  onExists: BatchOptions['onExists'];
}

/** Copies one output of another batch; throws a StoreError `CHANGED` where it is not what was stored there. */
async function copyOutput(
  from: { store: Store; batch: string },
  file: OutputFile,
  { store, batch, row, onExists }: CopyTarget,
  position: number,
): Promise<OutputFile> {
  const extension = file.file.slice(file.file.lastIndexOf('.') + 1);
  const base = `${batch}/media/${row.stem}${position === 0 ? '' : `-${position + 1}`}`;
  const mayVersion = onExists !== 'fail' || position > 0;
  const key = `${base}.${extension}`;
  const options: CopyOptions = {
    attemptName: `${row.id}-reused-${position}`,
    expected: file,
    ...(mayVersion ? { nextKey: (n: number) => `${base}.v${n}.${extension}` } : {}),
  };
  const copied = await copy(from.store, `${from.batch}/${file.file}`, store, key, options);
  const { etag: _etag, version: _version, ...facts } = file;
  const object = defined({ etag: copied.etag, version: copied.version });
  return { ...facts, file: copied.key.slice(batch.length + 1), ...object };
}

/** Within folders, or within buckets, without the bytes coming through this process. */
async function copy(
  from: Store,
  fromKey: string,
  to: Store,
  key: string,
  options: CopyOptions,
): Promise<CommittedFile> {
  const place = from.placeOf?.(fromKey);
  if (place !== undefined && place.in === to.placeOf?.(key).in && to.copyFile !== undefined) {
    return to.copyFile(place, key, options);
  }
  const changed = () =>
    new StoreError('CHANGED', `'${fromKey}' is not the file that was stored there any more`, fromKey);
  const source = await from.read(fromKey);
  if (source === undefined) throw changed();
  return to.putStream(key, source, {
    ...options,
    ifExists: 'fail',
    beforeCommit: ({ sha256 }) => {
      if (sha256 !== options.expected.sha256) throw changed();
    },
  });
}
