import type { Kind } from '../../domain/kind.js';
import type { MediaFacts, MediaSort } from '../../domain/media-type.js';
import type { FedMedia, Media, Row } from '../../domain/row.js';
import { factsOf } from '../../kinds/facts.js';
import { rulesOf } from '../../kinds/index.js';
import type { DraftRow, MediaRule } from '../../kinds/rule.js';
import { columnsOf, modelOf, takesUrlOnly } from '../columns.js';
import { type Reference, referenceText } from '../media/media-cell.js';
import { bytesFlaw, factsFlaw, type MediaFlaw } from '../media/media-limits.js';
import { wantedSort } from '../media/media-reader.js';
import type { RowFacts } from './row-facts.js';

/** What a kind renders; undefined where its output is no medium. */
export function outputSort(kind: Kind): MediaSort | undefined {
  const { output } = factsOf(kind);
  return output === 'any' ? undefined : output;
}

/** Why a row cannot feed a column, as far as that is known before it is rendered; both lines are named by the caller. */
export function feedFlaw(
  name: string,
  reference: Reference,
  feeder: RowFacts,
  rule: MediaRule,
  wanted: MediaSort,
  can: { giveUrl: boolean; takesFrames: boolean },
): MediaFlaw | undefined {
  const given = outputSort(feeder.kind);
  const cannot = (why: string) => flawOf(name, [placeOf(reference, feeder)], why);
  if (given === undefined) return cannot('its output is JSON, which feeds nothing');
  if (wanted === 'audio') return cannot('the column needs audio, and no kind makes audio');
  if (reference.frame !== undefined && given !== 'video') return cannot('only a film has frames');
  if (reference.frame !== undefined && wanted !== 'image') return cannot(`the column needs a ${wanted}, not a frame`);
  if (reference.frame === undefined && given !== wanted) {
    return cannot(`it renders ${an(given)}, the column needs ${an(wanted)}`);
  }
  if (reference.frame !== undefined && !can.takesFrames) {
    return cannot('frames of films are taken by ffmpeg, which is not installed where rows run');
  }
  if (takesUrlOnly(rule, wanted) && !can.giveUrl) {
    return cannot(
      'the endpoint takes a public URL only, there is no S3 store to upload to, and the URL of that output may not live long enough (with --response-format b64_json images have none)',
    );
  }
  const flaw = knownMisfit(feeder, rule, wanted);
  return flaw === undefined ? undefined : cannot(flaw);
}

function flawOf(column: string, feeders: readonly string[], why: string): MediaFlaw {
  return { code: 'B72', message: `${column}: ${feeders.join(', ')} cannot feed it: ${why}` };
}

function placeOf(reference: Reference, { line, kind }: RowFacts): string {
  return `${referenceText(reference)} (line ${line}, ${kind})`;
}

/** A limit that the size or the length breaks which the feeding row asks for. */
function knownMisfit(feeder: RowFacts, rule: MediaRule, wanted: MediaSort): string | undefined {
  const { width, height, seconds } = feeder.output;
  const isKnown = wanted === 'image' ? width !== undefined && height !== undefined : seconds !== undefined;
  if (!isKnown) return undefined;
  // Only what was asked for is known: type, bytes and transparency are looked at once the file is there.
  const { minSide, maxSide, minShortSide, maxRatio, widestRatio, minSeconds, maxSeconds } = rule;
  const limits = { minSide, maxSide, minShortSide, maxRatio, widestRatio, minSeconds, maxSeconds };
  const known = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  const bare: MediaRule = { sort: rule.sort, url: rule.url, inline: rule.inline, ...Object.fromEntries(known) };
  return factsFlaw('what it asks for', askedFacts(feeder, wanted), bare, wanted)?.message;
}

/** A file that is as its row asks for it, as far as it does. */
function askedFacts({ output }: RowFacts, sort: MediaFacts['sort']): MediaFacts {
  return { sort, mediaType: `${sort}/any`, bytes: 1, sha256: '', ...output };
}

type Takes = Pick<Row, 'kind' | 'cells' | 'media'>;

/** Why rows cannot feed a column together, or with what else the row takes, as far as that is known before they are rendered. */
export function togetherFlaw(
  row: Takes,
  feederOf: (media: FedMedia) => RowFacts,
): (MediaFlaw & { column: string }) | undefined {
  if (rulesOf(row.kind).mediaChecks === undefined) return undefined;
  // What its files break by themselves was said when they were read.
  if (acrossColumns(row, new Map()) !== undefined) return undefined;
  const asked = (item: Media): MediaFacts | undefined => {
    if (item.source !== 'row' || item.frame !== undefined) return undefined;
    const feeder = feederOf(item);
    return askedFacts(feeder, outputSort(feeder.kind) ?? 'other');
  };
  const flaw = acrossColumns(row, new Map(Object.entries(row.media).map(([name, list]) => [name, list.map(asked)])));
  if (flaw === undefined) return undefined;
  const { column, message } = flaw;
  const feeding = (row.media[column] ?? []).flatMap((item) => (item.source === 'row' ? [item] : []));
  const feeders = feeding.map((item) => placeOf(item, feederOf(item)));
  return { column, ...flawOf(column, feeders, message) };
}

/** So much a film may well be longer or shorter than its row asks for. */
const LENGTH_APART_SECONDS = 0.25;

/**
 * Says of films that are asked for just as long as the row can take them that they may come out a fraction of a second
 * longer or shorter (service document 1, Generated clip result): the row would be refused once they are paid.
 */
export function lengthRisk(
  row: Takes,
  feederOf: (media: FedMedia) => RowFacts,
): { column: string; message: string } | undefined {
  for (const apart of [LENGTH_APART_SECONDS, -LENGTH_APART_SECONDS]) {
    const asApart = (media: FedMedia) => lengthened(feederOf(media), apart);
    const column = misfitColumn(row, asApart) ?? togetherFlaw(row, asApart)?.column;
    if (column === undefined) continue;
    const feeders = filmsIn(row, column).map((media) => placeOf(media, feederOf(media)));
    const ask = feeders.length === 1 ? 'asks' : 'ask';
    const message = `${column}: ${feeders.join(', ')} ${ask} for a length that is just the limit: a film may come out a fraction of a second ${apart > 0 ? 'longer' : 'shorter'}, and this row would be refused once that is paid; ask for ${apart > 0 ? 'less' : 'more'}`;
    return { column, message };
  }
  return undefined;
}

function misfitColumn(row: Takes, feederOf: (media: FedMedia) => RowFacts): string | undefined {
  return Object.keys(row.media).find((column) => {
    const rule = columnsOf(row.kind).get(column);
    if (rule?.type !== 'media') return false;
    return filmsIn(row, column).some((media) => knownMisfit(feederOf(media), rule.media, 'video') !== undefined);
  });
}

/** What rows feed the column as whole films. */
function filmsIn({ media }: Takes, column: string): FedMedia[] {
  return (media[column] ?? []).flatMap((item) => (item.source === 'row' && item.frame === undefined ? [item] : []));
}

function lengthened(feeder: RowFacts, bySeconds: number): RowFacts {
  const { seconds } = feeder.output;
  if (seconds === undefined || outputSort(feeder.kind) !== 'video') return feeder;
  return { ...feeder, output: { ...feeder.output, seconds: seconds + bySeconds } };
}

function an(sort: MediaSort): string {
  return sort === 'video' ? 'a film' : `an ${sort}`;
}

/** What the bytes show that feed a column, in the order of its items; undefined for an item that no row feeds. */
export type FedFacts = ReadonlyMap<string, readonly (MediaFacts | undefined)[]>;

/** Why rendered files do not fit the columns that take them, as one sentence; undefined when they do. */
export function fedFlaw(row: Row, fed: FedFacts): string | undefined {
  for (const [column, facts] of fed) {
    const rule = columnsOf(row.kind).get(column);
    if (rule?.type !== 'media') continue;
    const wanted = wantedSort(row, rule);
    for (const one of facts) {
      if (one === undefined) continue;
      const flaw = bytesFlaw(column, one.bytes, rule.media) ?? factsFlaw(column, one, rule.media, wanted);
      if (flaw !== undefined) return flaw.message;
    }
  }
  return acrossColumns(row, fed)?.message;
}

/** The rules over all media of the row together, for those of them whose bytes are known. */
function acrossColumns(row: Takes, fed: FedFacts): { column: string; message: string } | undefined {
  const found: { column: string; message: string }[] = [];
  const draft: DraftRow = {
    ...{ line: 0, id: '', kind: row.kind, model: modelOf(row), cells: row.cells, bad: false },
    ...{ filled: new Map(), mediaCounts: new Map(), positionOf: () => undefined },
  };
  const problem = (_row: DraftRow, _code: string, column: string, message: string) => found.push({ column, message });
  const known = new Map(
    Object.entries(row.media).map(([column, list]) => [
      column,
      list.flatMap((item, i): MediaFacts[] => {
        const facts = fed.get(column)?.[i];
        if (facts !== undefined) return [facts];
        if (item.source !== 'blob') return [];
        return [{ sort: 'other', ...item }];
      }),
    ]),
  );
  for (const { check } of rulesOf(row.kind).mediaChecks ?? []) check(draft, known, { problem, warning: () => 0 });
  return found[0];
}
