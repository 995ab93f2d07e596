import { type FedMedia, fedMedia, type Media, type Row } from '../../domain/row.js';
import { columnsOf } from '../columns.js';
import type { IdBook } from '../line-index.js';
import type { ManifestOptions } from '../manifest-options.js';
import { referenceText } from '../media/media-cell.js';
import type { MediaFlaw } from '../media/media-limits.js';
import { wantedSort } from '../media/media-reader.js';
import type { ProblemLog } from '../problem.js';
import { fedHash } from '../row-hash.js';
import { nearestWord } from '../suggest.js';
import type { ChainTally } from './chains.js';
import { feedFlaw, togetherFlaw } from './feed-flaw.js';
import type { RowFactsBook } from './row-facts.js';
import type { Spill } from './spill.js';

/** What is known of the rows that refer to each other, and what their references break. */

export interface Links {
  facts: RowFactsBook;
  ids: IdBook;
  chains: ChainTally;
  log: ProblemLog;
  /** Files can be uploaded for columns that take URLs alone. */
  hasUploadStore: boolean;
  urlCovers: NonNullable<ManifestOptions['urlCovers']>;
  /** Rows whose id could not be read: each may be one that another refers to. */
  nameless: number;
  /** Frames of films can be taken; known once a row needs one. */
  takesFrames?: boolean;
}

/** The hash of a row whose feeders are linked, and its place in their chains. */
export function linkRow({ facts, chains }: Links, index: number, own: string, feeders: readonly number[]): string {
  facts.setDepth(index, 1 + feeders.reduce((most, at) => Math.max(most, facts.depth(at)), 0));
  chains.add(index, feeders);
  const hash = fedHash(
    own,
    feeders.map((at) => facts.hash(at)),
  );
  facts.setHash(index, hash);
  return hash;
}

export interface Refers {
  column: string;
  media: FedMedia;
}

export function refersTo(media: Record<string, Media[]>): Refers[] {
  return Object.entries(media).flatMap(([column, list]) =>
    list.flatMap((item) => (item.source === 'row' ? [{ column, media: item }] : [])),
  );
}

/** Sets where the rows stand that are referred to, as far as they were read by now. */
export function findRows({ ids }: Links, refers: readonly Refers[]): Record<'known' | 'unknown', Refers[]> {
  for (const { media } of refers) media.at = ids.find(media.id) ?? -1;
  return { known: refers.filter(({ media }) => media.at >= 0), unknown: refers.filter(({ media }) => media.at < 0) };
}

/** What is wrong with a reference, in the column where it stands. */
export interface LinkFlaw extends MediaFlaw {
  column: string;
}

/** What is wrong with a row's references to known rows, as far as that can be seen now; `fresh` are known only now. */
export function knownFlaws(
  links: Links,
  row: Pick<Row, 'kind' | 'cells' | 'media'>,
  fresh: readonly Refers[],
): LinkFlaw[] {
  const flaws = fresh.flatMap((one) => knownFlaw(links, row, one) ?? []);
  const isWhole = fresh.length > 0 && fedMedia(row).every(({ at }) => at >= 0);
  const together = isWhole && flaws.length === 0 ? togetherFlaw(row, ({ at }) => links.facts.get(at)) : undefined;
  return together === undefined ? flaws : [together];
}

function knownFlaw(
  { facts, hasUploadStore, urlCovers, takesFrames = false }: Links,
  row: Pick<Row, 'kind' | 'cells' | 'media'>,
  { column, media }: Refers,
): LinkFlaw | undefined {
  const rule = columnsOf(row.kind).get(column);
  if (rule?.type !== 'media') return undefined;
  const feeder = facts.get(media.at);
  // The service has a URL of the film, none of its frames.
  const giveUrl = hasUploadStore || (media.frame === undefined && urlCovers(feeder.kind, row));
  const can = { giveUrl, takesFrames };
  const flaw = feedFlaw(column, media, feeder, rule.media, wantedSort(row, rule), can);
  return flaw && { ...flaw, column };
}

/** That a row is referred to which does not exist, as far as the rows can be read, and which name is near. */
export function unknownFlaw({ ids, nameless }: Links, { column, media }: Refers): LinkFlaw {
  const near = nearestWord(media.id, ids.all());
  const hint = near === undefined ? '' : `; did you mean @${near}?`;
  const absent = nameless === 0 ? 'the manifest does not have' : 'no readable line has';
  return { code: 'B70', column, message: `${column}: ${referenceText(media)} refers to a row that ${absent}${hint}` };
}

export type PlaceOf = (column: string) => number | undefined;

export function reportFlaw(
  { log }: Pick<Links, 'log'>,
  { line, id }: Pick<Row, 'line' | 'id'>,
  placeOf: PlaceOf,
  { code, column, message }: LinkFlaw,
): void {
  log.add({ line, column: placeOf(column) ?? 1, code, field: column, message }, id);
}

/** By row, from `first` on: which rows feed it. 4 bytes for each reference. */
interface Graph {
  first: number;
  /** Where the feeders of a row begin; a row that was not spilled has none. */
  starts: Uint32Array;
  feeders: Uint32Array;
}

/**
 * Links the rows that waited, each after those that feed it, and says what their references to later rows break. Gives
 * the circles, by the row that comes first in the manifest.
 */
export async function orderSpilled(links: Links, spill: Spill): Promise<Map<number, LinkFlaw>> {
  const graph = await readGraph(links, spill);
  const circles = new Map<number, number[]>();
  const { first, starts } = graph;
  const count = starts.length - 1;
  /** 0 = not seen, 1 = on the way, 2 = linked. */
  const seen = new Uint8Array(count);
  for (let begin = 0; begin < count; begin += 1) {
    if (seen[begin] !== 0) continue;
    const way = [{ row: begin, next: starts[begin] ?? 0 }];
    seen[begin] = 1;
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      if (top.next < (starts[top.row + 1] ?? 0)) {
        const feeder = (graph.feeders[top.next++] ?? 0) - first;
        if (feeder < 0 || seen[feeder] === 2) continue;
        if (seen[feeder] === 1) noteCircle(circles, first, way, feeder);
        else way.push({ row: feeder, next: starts[feeder] ?? 0 });
        seen[feeder] = 1;
      } else {
        link(links, graph, top.row);
        seen[top.row] = 2;
        way.pop();
      }
    }
  }
  return new Map(circleFlaws(links, circles));
}

function link(links: Links, { first, starts, feeders }: Graph, row: number): void {
  const own = feeders.subarray(starts[row], starts[row + 1]);
  if (own.length > 0) linkRow(links, first + row, links.facts.hash(first + row), [...own]);
}

/** Reads what waits once: its references to later rows can be looked at now. */
async function readGraph(links: Links, spill: Spill): Promise<Graph> {
  let first = -1;
  const starts: number[] = [];
  const feeders: number[] = [];
  for await (const { row, places } of spill.rows()) {
    if (first < 0) first = row.index;
    while (starts.length <= row.index - first) starts.push(feeders.length);
    links.facts.setHash(row.index, row.hash);
    const fresh = refersTo(row.media).filter(({ media }) => media.at < 0);
    const { known, unknown } = findRows(links, fresh);
    for (const flaw of [...unknown.map((one) => unknownFlaw(links, one)), ...knownFlaws(links, row, known)]) {
      reportFlaw(links, row, (name) => places[name], flaw);
    }
    for (const { at } of fedMedia(row)) if (at >= 0) feeders.push(at);
  }
  // The end of the last row; what feeds and never waited, since it is bad, has a place without feeders.
  const last = feeders.reduce((end, at) => Math.max(end, at + 1), first + starts.length);
  while (starts.length <= last - first) starts.push(feeders.length);
  return { first, starts: Uint32Array.from(starts), feeders: Uint32Array.from(feeders) };
}

function noteCircle(
  circles: Map<number, number[]>,
  first: number,
  way: readonly { row: number }[],
  feeder: number,
): void {
  // From the row that was come back to on, each refers to the next.
  const circle = way.slice(way.findIndex(({ row }) => row === feeder)).map(({ row }) => row + first);
  const earliest = circle.reduce((a, b) => Math.min(a, b));
  const from = circle.indexOf(earliest);
  if (!circles.has(earliest)) circles.set(earliest, [...circle.slice(from), ...circle.slice(0, from), earliest]);
}

/** All ids are walked over once, however many circles there are. */
function* circleFlaws({ ids, facts }: Links, circles: Map<number, number[]>): Iterable<[number, LinkFlaw]> {
  if (circles.size === 0) return;
  const names = ids.named([...circles.values()].flat());
  for (const [earliest, circle] of circles) {
    const rows = circle.map((row) => `${names.get(row)} (line ${facts.get(row).line})`);
    yield [earliest, { code: 'B71', column: 'id', message: `rows feed each other in a circle: ${rows.join(' → ')}` }];
  }
}
