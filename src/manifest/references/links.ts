import type { FedMedia, Media, Row } from '../../domain/row.js';
import { columnsOf } from '../columns.js';
import type { ManifestOptions } from '../manifest-options.js';
import type { MediaFlaw } from '../media/media-limits.js';
import type { ProblemLog } from '../problem-log.js';
import { wantedSort } from '../read-media.js';
import { fedHash } from '../row-hash.js';
import { nearestWord } from '../suggest.js';
import type { ChainTally } from './chains.js';
import { feedFlaw } from './feed-flaw.js';
import type { IdBook } from './id-book.js';
import { referenceText } from './reference.js';
import type { RowFactsBook } from './row-facts.js';

/** What is known of the rows that refer to each other, and what their references break. */

export interface Links {
  facts: RowFactsBook;
  ids: IdBook;
  chains: ChainTally;
  log: ProblemLog;
  /** Files can be uploaded for columns that take URLs alone. */
  hasUploadStore: boolean;
  urlCovers: NonNullable<ManifestOptions['urlCovers']>;
  canTakeFrames(): boolean;
}

/** The hash of a row whose feeders are linked, and its place in their chains. */
export function linkRow({ facts, chains }: Links, index: number, own: string, feeders: readonly number[]): string {
  facts.setDepth(index, 1 + Math.max(...feeders.map((at) => facts.depth(at))));
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

/** What is wrong with a reference, in the column where it stands. */
export interface LinkFlaw extends MediaFlaw {
  column: string;
}

/** What is wrong with a reference to a known row, as far as that can be seen now. */
export function knownFlaw(
  { facts, hasUploadStore, urlCovers, canTakeFrames }: Links,
  row: Pick<Row, 'kind' | 'cells' | 'media'>,
  { column, media }: Refers,
): LinkFlaw | undefined {
  const rule = columnsOf(row.kind).get(column);
  if (rule?.type !== 'media') return undefined;
  const feeder = facts.get(media.at);
  // The service has a URL of the film, none of its frames.
  const giveUrl = hasUploadStore || (media.frame === undefined && urlCovers(feeder.kind, row));
  const can = { giveUrl, takeFrames: canTakeFrames };
  const flaw = feedFlaw(column, media, feeder, rule.media, wantedSort(row, rule), can);
  return flaw && { ...flaw, column };
}

/** That a row is referred to which does not exist, and which name is near. */
export function unknownFlaw({ ids }: Links, { column, media }: Refers): LinkFlaw {
  const near = nearestWord(media.id, ids.all());
  const hint = near === undefined ? '' : `; did you mean @${near}?`;
  const message = `${column}: ${referenceText(media)} refers to a row that the manifest does not have${hint}`;
  return { code: 'B70', column, message };
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
