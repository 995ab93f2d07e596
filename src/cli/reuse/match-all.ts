import { type FedMedia, fedMedia, type Row } from '../../domain/row.js';
import { type KnownRender, renderName } from '../../home/gather-renders.js';
import type { RenderIndex } from '../../home/render-index.js';
import type { LineIndex } from '../../manifest/line-index.js';
import type { Spill } from '../../manifest/references/spill.js';
import { renderKey } from '../../manifest/row-hash.js';
import { parallel } from '../../store/parallel.js';
import type { HomeAccess } from '../access/home-access.js';
import type { RenderCheck } from './check-render.js';
import {
  type Candidate,
  type FoundRenders,
  type ManifestFacts,
  type Matched,
  matchRenders,
  type RenderGroup,
} from './found-renders.js';

/** Gives the rows that were asked for before their earlier renders, a bounded number of rows at a time. */

export interface Matching {
  access: HomeAccess;
  batch: string;
  index: RenderIndex;
  found: FoundRenders;
  facts: ManifestFacts;
  check: RenderCheck;
  /** Renders that rows of the manifest have already, by name; by `batch/id` all of that row. */
  taken: LineIndex;
}

/** So many rows are matched at once; more of them take a further way through the index. */
const ROWS_AT_ONCE = 50_000;
const CHECK_WIDTH = 16;
/** Of equal renders no more are kept than there are rows for them, and some to stand in for damaged ones. */
const SPARE_RENDERS = 100;
const LOST_SHOWN = 5;

export async function matchAll(matching: Matching, candidates: Spill<Candidate>, count: number): Promise<void> {
  const ways = Math.max(1, Math.ceil(count / ROWS_AT_ONCE));
  for (let way = 0; way < ways; way += 1) {
    const groups = new Map<string, RenderGroup>();
    for await (const row of candidates.rows()) {
      if (Number.parseInt(row.key.slice(0, 8), 16) % ways !== way) continue;
      const group = groups.get(row.key);
      if (group === undefined) groups.set(row.key, { rows: [row], renders: [], underWay: 0 });
      else group.rows.push(row);
    }
    for await (const render of matching.index.renders()) {
      const group = groups.get(render.key);
      if (group !== undefined) takeRender(matching, group, render);
    }
    await parallel([...groups.values()], CHECK_WIDTH, (group) => matchGroup(matching, group));
  }
}

function takeRender({ taken }: Matching, group: RenderGroup, render: KnownRender): void {
  const isTaken = [renderName(render), `${render.batch}/${render.id}`].some((name) => taken.find(name) !== undefined);
  if (isTaken) return;
  if (render.isUnderWay) group.underWay += 1;
  else if (group.renders.length < group.rows.length + SPARE_RENDERS) group.renders.push(render);
  else if (group.rows.some(({ id }) => id === render.id)) group.renders.push(render);
}

async function matchGroup({ found, facts, check, taken }: Matching, group: RenderGroup): Promise<void> {
  const { order } = found;
  // All rows of a group ask for the same, URLs too.
  const isCovered = order === 'urls' || group.rows[0]?.hasUrls !== true;
  const flaws: FoundRenders['lost'] = [];
  const matched = await matchRenders(group, async (render) => {
    if (order === 'none' || !isCovered) return true;
    const seen = await check.whole(render);
    if ('flaw' in seen) flaws.push(seen);
    return !('flaw' in seen);
  });
  const missed = matched.flatMap(({ row, render }) => (render === undefined ? [row] : []));
  if (!isCovered) {
    found.urlRows += matched.length - missed.length;
    for (const row of missed.slice(0, group.underWay)) facts.onElsewhere(row);
    return;
  }
  for (const one of matched) {
    book(found, facts, one);
    // A row that others feed is asked for later, and may ask for the very same.
    if (one.render !== undefined) taken.add(renderName(one.render), 1);
  }
  for (const row of missed.slice(0, group.underWay)) facts.onElsewhere(row);
  const lost = flaws.slice(0, missed.length);
  found.lostCount += lost.length;
  found.lost.push(...lost.slice(0, Math.max(0, LOST_SHOWN - found.lost.length)));
}

function book(found: FoundRenders, facts: ManifestFacts, { row, render }: Matched): void {
  if (render === undefined) return;
  const { batch, creditsNano, atMs } = render;
  found.sources.set(row.index, render);
  found.rows += 1;
  if (creditsNano === null) found.creditsUnknown += 1;
  else found.creditsNano += creditsNano;
  const known = found.batches.get(batch) ?? { rows: 0, lastMs: 0 };
  found.batches.set(batch, { rows: known.rows + 1, lastMs: Math.max(known.lastMs, atMs) });
  if (found.order !== 'none') facts.onReused(row);
}

type FedFacts = Pick<Matching, 'access' | 'batch' | 'found' | 'check'> & {
  /** The row of that index was done before. */
  isDone(index: number): boolean;
};

/** The sha256 of what feeds a row, where that is known before anything is rendered. */
async function fedBytes(
  { access, batch, found, check, isDone }: FedFacts,
  { at, id }: FedMedia,
): Promise<string | undefined> {
  const source = found.sources.get(at);
  if (source !== undefined) return (await check.record(source))?.files[0]?.sha256;
  if (!isDone(at)) return undefined;
  const record = await access.records.readRecord(batch, id);
  return record?.status === 'done' ? record.files[0]?.sha256 : undefined;
}

/** The key of a row that others feed; undefined while one of those has no render. */
export async function fedKey(
  matching: Matching,
  row: Pick<Row, 'kind' | 'cells' | 'media' | 'extra'>,
): Promise<string | undefined> {
  const bytes = new Map<string, string>();
  const isDone = (index: number) => matching.facts.finishedBefore[index] === true;
  for (const media of fedMedia(row)) {
    const sha256 = await fedBytes({ ...matching, isDone }, media);
    if (sha256 === undefined) return undefined;
    bytes.set(media.id, sha256);
  }
  return renderKey(row, ({ id }) => bytes.get(id));
}
