import { fedMedia, type Media, type Row } from '../../domain/row.js';
import type { CheckedRow } from '../check-row.js';
import { createIdBook } from '../line-index.js';
import type { ManifestOptions, RawCells } from '../manifest-options.js';
import type { ProblemLog } from '../problem.js';
import { CHAIN_ROWS_MAX, type Chains, createChainTally } from './chains.js';
import { lengthRisk } from './feed-flaw.js';
import {
  findRows,
  knownFlaws,
  type LinkFlaw,
  type Links,
  linkRow,
  orderSpilled,
  type PlaceOf,
  refersTo,
  reportFlaw,
} from './links.js';
import { createRowFacts } from './row-facts.js';
import { openSpill, type Spill } from './spill.js';

/**
 * The references between the rows of a manifest. A row that refers to earlier ones alone goes on at once; from the first
 * one on that refers to a later row, good rows wait in a file until the manifest was read.
 */
export interface RowLinks {
  /** Every row in the manifest's order, good or bad: finds what its media refer to. */
  take(row: CheckedRow, media: Record<string, Media[]>): Promise<void>;
  /** Every good row in order: gives it its hash, and passes it on as soon as that is known. */
  pass(row: Row, raw: RawCells, placeOf: PlaceOf): Promise<void>;
  /** Every bad row in order: it goes no further, but what it refers to, and the circles that it is in, are told too. */
  passBad(row: Row, placeOf: PlaceOf): Promise<void>;
  /** Passes on what waits, unless something is wrong. */
  end(): Promise<void>;
  close(): Promise<void>;
  chains(): Chains;
}

export interface Linking {
  /** Sets `shares` on a row whose hash is known, each row once and in order. */
  mark(row: Row): void;
  /** Passes a row on. */
  emit(row: Row, raw: RawCells): Promise<void>;
  /** False where no row can refer to another: then nothing is kept of them. */
  canRefer(): boolean;
}

export function createRowLinks(
  log: ProblemLog,
  {
    hasUploadStore = false,
    urlCovers = () => false,
    canTakeFrames = async () => false,
  }: Pick<ManifestOptions, 'hasUploadStore' | 'urlCovers' | 'canTakeFrames'>,
  { mark, emit, canRefer }: Linking,
): RowLinks {
  const facts = createRowFacts();
  const links: Links = {
    facts,
    ids: createIdBook(),
    chains: createChainTally(facts),
    log,
    hasUploadStore,
    urlCovers,
    nameless: 0,
  };
  let rows = 0;
  let spill: Spill | undefined;

  function noteRenderer(row: Row): void {
    mark(row);
    if (row.shares !== undefined && canRefer()) facts.setRenderer(row.index, row.shares);
  }

  /** What renders the rows that it refers to is known. */
  async function finish(row: Row, raw: RawCells, placeOf: PlaceOf): Promise<void> {
    for (const media of fedMedia(row)) media.at = facts.renderer(media.at);
    const risk = fedMedia(row).length > 0 ? lengthRisk(row, ({ at }) => facts.get(at)) : undefined;
    if (risk !== undefined) {
      const { column: field, message } = risk;
      log.warn({ line: row.line, column: placeOf(field) ?? 1, code: 'B72', field, message }, row.id);
    }
    await emit(row, raw);
  }

  async function wait(row: Row, raw: RawCells, placeOf: PlaceOf): Promise<void> {
    spill ??= await openSpill();
    const places = Object.keys(row.media).map((name): [string, number] => [name, placeOf(name) ?? 1]);
    await spill.add({ row, raw, places: Object.fromEntries(places) });
  }

  /** Of all rows that waited, before the first is passed on: it may refer to a later one that shares a render. */
  async function noteRenderers(waiting: Spill): Promise<void> {
    for await (const { row } of waiting.rows()) noteRenderer({ ...row, hash: facts.hash(row.index) });
  }

  return {
    async take(row, media) {
      const index = rows++;
      if (row.id === '') links.nameless += 1;
      if (!canRefer()) return;
      links.ids.add(index, row.id);
      facts.add(index, row);
      const refers = refersTo(media);
      if (refers.length === 0) return;
      // Bad rows do not wait for the end: what they refer to has to come before them to be looked at.
      if (refers.some((one) => one.media.frame !== undefined)) links.takesFrames ??= await canTakeFrames();
      const { known } = findRows(links, refers);
      for (const { code, column, message } of knownFlaws(links, { ...row, media }, known)) {
        log.problem(row, code, column, message);
      }
    },
    async pass(row, raw, placeOf) {
      const feeders = fedMedia(row).map(({ at }) => at);
      if (spill !== undefined || refersOn(row)) return wait(row, raw, placeOf);
      if (feeders.length > 0) {
        row.hash = linkRow(links, row.index, row.hash, feeders);
        if (facts.depth(row.index) > CHAIN_ROWS_MAX) reportFlaw(links, row, placeOf, lengthFlaw(row));
      }
      if (canRefer()) facts.setHash(row.index, row.hash);
      noteRenderer(row);
      await finish(row, raw, placeOf);
    },
    async passBad(row, placeOf) {
      const mayMatter = fedMedia(row).length > 0 && (spill !== undefined || refersOn(row));
      if (mayMatter) await wait(row, {}, placeOf);
    },
    async end() {
      if (spill === undefined) return;
      const circles = await orderSpilled(links, spill);
      if (log.found().problemCount === 0) await noteRenderers(spill);
      for await (const { row, raw, places } of spill.rows()) {
        const placeOf = (name: string) => places[name];
        const circle = circles.get(row.index);
        if (circle !== undefined) reportFlaw(links, row, placeOf, circle);
        else if (facts.depth(row.index) > CHAIN_ROWS_MAX) reportFlaw(links, row, placeOf, lengthFlaw(row));
        if (log.found().problemCount > 0) continue;
        for (const media of fedMedia(row)) media.at = links.ids.find(media.id) ?? -1;
        row.hash = facts.hash(row.index);
        const renderer = facts.renderer(row.index);
        if (renderer !== row.index) row.shares = renderer;
        await finish(row, raw, placeOf);
      }
    },
    close: async () => spill?.close(),
    chains: () => links.chains.totals(),
  };
}

/** It refers to a row that was not read yet, or that there is none of. */
function refersOn(row: Row): boolean {
  return fedMedia(row).some(({ at }) => at < 0 || at >= row.index);
}

/** That too many rows would run one after the other. */
function lengthFlaw({ media }: Row): LinkFlaw {
  const column = refersTo(media)[0]?.column ?? 'id';
  return {
    code: 'B71',
    column,
    message: `${column}: more than ${CHAIN_ROWS_MAX} rows would feed each other in a chain`,
  };
}
