import type { Kind } from '../../domain/kind.js';
import type { MediaFacts, MediaSort } from '../../domain/media-type.js';
import type { Row } from '../../domain/row.js';
import { factsOf } from '../../kinds/facts.js';
import { rulesOf } from '../../kinds/index.js';
import type { DraftRow, MediaRule } from '../../kinds/rule.js';
import { columnsOf, modelOf, takesUrlOnly } from '../columns.js';
import { type Reference, referenceText } from '../media/media-cell.js';
import { bytesFlaw, factsFlaw, type MediaFlaw } from '../media/media-limits.js';
import { wantedSort } from '../read-media.js';
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
  can: { giveUrl: boolean; takeFrames(): boolean },
): MediaFlaw | undefined {
  const given = outputSort(feeder.kind);
  const said = `${name}: ${referenceText(reference)} (line ${feeder.line}, ${feeder.kind})`;
  const cannot = (why: string): MediaFlaw => ({ code: 'B72', message: `${said} cannot feed it: ${why}` });
  if (given === undefined) return cannot('its output is JSON, which feeds nothing');
  if (wanted === 'audio') return cannot('the column needs audio, and no kind makes audio');
  if (reference.frame !== undefined && given !== 'video') return cannot('only a film has frames');
  if (reference.frame !== undefined && wanted !== 'image') return cannot(`the column needs a ${wanted}, not a frame`);
  if (reference.frame === undefined && given !== wanted) {
    return cannot(`it renders ${an(given)}, the column needs ${an(wanted)}`);
  }
  if (reference.frame !== undefined && !can.takeFrames()) {
    return cannot('frames of films are taken by ffmpeg, which is not installed here');
  }
  if (takesUrlOnly(rule, wanted) && !can.giveUrl) {
    return cannot(
      'the endpoint takes a public URL only, there is no S3 store to upload to, and the URL of that output may not live long enough',
    );
  }
  const flaw = knownMisfit(feeder, rule, wanted);
  return flaw === undefined ? undefined : cannot(flaw);
}

/** A limit that the size or the length breaks which the feeding row asks for. */
function knownMisfit({ output }: RowFacts, rule: MediaRule, wanted: MediaSort): string | undefined {
  const { width, height, seconds } = output;
  const isKnown = wanted === 'image' ? width !== undefined && height !== undefined : seconds !== undefined;
  if (!isKnown) return undefined;
  // Only what was asked for is known: type, bytes and transparency are looked at once the file is there.
  const { minSide, maxSide, minShortSide, maxRatio, minSeconds, maxSeconds } = rule;
  const limits = { minSide, maxSide, minShortSide, maxRatio, minSeconds, maxSeconds };
  const known = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  const bare: MediaRule = { sort: rule.sort, url: rule.url, inline: rule.inline, ...Object.fromEntries(known) };
  const facts: MediaFacts = { sort: wanted, mediaType: `${wanted}/any`, bytes: 1, sha256: '', ...output };
  return factsFlaw('what it asks for', facts, bare, wanted)?.message;
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
  return acrossColumns(row, fed);
}

/** The rules over all media of the row together, for those of them whose bytes are known. */
function acrossColumns(row: Row, fed: FedFacts): string | undefined {
  const found: string[] = [];
  const draft: DraftRow = {
    ...{ line: row.line, id: row.id, kind: row.kind, model: modelOf(row), cells: row.cells, bad: false },
    ...{ filled: new Map(), mediaCounts: new Map(), positionOf: () => undefined },
  };
  const report = { problem: (_row: DraftRow, _code: string, _field: string, text: string) => found.push(text) };
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
  for (const { check } of rulesOf(row.kind).mediaChecks ?? []) check(draft, known, { ...report, warning: () => 0 });
  return found[0];
}
