import { basename } from 'node:path';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { readBatchOptions } from '../../home/batch-order.js';
import { StoreError } from '../../store/port.js';
import type { HomeAccess } from '../access/home-access.js';
import type { CostTally } from '../plan/plan-tally.js';
import { plain } from '../terminal.js';
import { amount, creditsJson } from '../views/counts.js';
import type { FoundRenders } from './found-renders.js';

/** What a plan says of earlier renders. */

export interface EarlierPlan extends Omit<FoundRenders, 'batches' | 'sources'> {
  /** The batches that rendered them, the most of them first. */
  batches: { batch: string; rows: number; lastMs: number; manifest: string | undefined }[];
}

type Elsewhere = Pick<CostTally, 'elsewhere' | 'elsewhereNano'>;

const BATCHES_SHOWN = 3;

/** With the manifest of each batch; undefined where nothing was looked for. */
export async function earlierPlan(
  { home }: HomeAccess,
  earlier: FoundRenders | undefined,
): Promise<EarlierPlan | undefined> {
  if (earlier === undefined) return undefined;
  const { sources: _sources, ...found } = earlier;
  const batches: EarlierPlan['batches'] = [];
  for (const [batch, facts] of found.batches) {
    const { manifest } = await readBatchOptions(home, batch).catch(withoutOptions);
    batches.push({ batch, ...facts, manifest: manifest === undefined ? undefined : basename(manifest) });
  }
  return { ...found, batches: batches.sort((a, b) => b.rows - a.rows) };
}

/** They only name the manifest. */
function withoutOptions(error: unknown): { manifest?: string } {
  if (error instanceof StoreError) return {};
  throw error;
}

export function earlierLines(earlier: EarlierPlan | undefined, elsewhere: Elsewhere, nowMs = Date.now()): string[] {
  if (earlier === undefined) return [];
  const { order, rows, urlRows, lostCount } = earlier;
  return [
    ...(rows > 0
      ? [`${foundText(earlier, nowMs)}: ${order === 'none' ? '--reuse takes them over' : 'taken over'}`]
      : []),
    ...(urlRows > 0 ? [urlText(urlRows)] : []),
    ...(lostCount > 0 ? [lostText(earlier)] : []),
    ...(elsewhere.elsewhere > 0 ? [elsewhereText(elsewhere)] : []),
  ];
}

export function earlierJson(earlier: EarlierPlan | undefined, elsewhere: Elsewhere): object | null {
  if (earlier === undefined) return null;
  const { order, rows, creditsNano, creditsUnknown, batches, urlRows, lost, lostCount } = earlier;
  return {
    order,
    rows,
    credits: creditsJson(creditsNano, creditsUnknown),
    unknownCredits: creditsUnknown,
    batches: batches.map(({ batch, rows, lastMs, manifest = null }) => {
      return { batch, manifest, rows, lastAt: new Date(lastMs).toISOString() };
    }),
    urlRows,
    lostRows: lostCount,
    lost,
    underWayElsewhere: elsewhere.elsewhere,
    underWayElsewhereCredits: creditsJson(elsewhere.elsewhereNano, elsewhere.elsewhere),
  };
}

function foundText({ rows, batches, creditsNano, creditsUnknown }: EarlierPlan, nowMs: number): string {
  const named = batches.slice(0, BATCHES_SHOWN).map(({ batch, manifest, lastMs }) => {
    const facts = [...(manifest === undefined ? [] : [plain(manifest, 100)]), dayText(lastMs, nowMs)];
    return `'${batch}' (${facts.join(', ')})`;
  });
  const more = batches.length > named.length ? ` and ${batches.length - named.length} more` : '';
  const where = `${batches.length === 1 ? 'batch' : 'batches'} ${named.join(', ')}${more}`;
  const were = amount(rows, 'of these rows was', 'of these rows were');
  return `${were} rendered before, in ${where}, ${costWords(creditsNano, creditsUnknown)}`;
}

function costWords(creditsNano: CreditsNano, unknown: number): string {
  if (creditsNano === 0 && unknown > 0) return 'at a cost that is not known';
  const others = unknown === 0 ? '' : `, the cost of ${unknown} of them is not known`;
  return `for ${formatCredits(creditsNano)} credits${others}`;
}

function urlText(rows: number): string {
  const were = amount(rows, 'row was rendered before and has', 'rows were rendered before and have');
  return `${were} inputs behind URLs, whose bytes were never read: --reuse=urls takes over ${rows === 1 ? 'it' : 'them'} too`;
}

function lostText({ lost, lostCount }: EarlierPlan): string {
  const named = lost.map(
    ({ batch, file, flaw }) => `${batch}${file === undefined ? '' : `/${plain(file, 200)}`} (${flaw})`,
  );
  const more = lostCount > lost.length ? ` and ${lostCount - lost.length} more` : '';
  const are = amount(lostCount, 'earlier render is', 'earlier renders are');
  return `${are} not what was stored any more, rendered again: ${named.join(', ')}${more}`;
}

function elsewhereText({ elsewhere, elsewhereNano }: Elsewhere): string {
  const are = amount(elsewhere, 'row is', 'rows are');
  const cost =
    elsewhereNano === 0 ? ', at a price that nobody knows' : `, for at most ${formatCredits(elsewhereNano)} credits`;
  return `${are} being rendered in another batch or for another row just now, which is not waited for: rendered here too${cost}`;
}

/** `14 May`, with the year where it is another one. */
function dayText(ms: number, nowMs: number): string {
  const date = new Date(ms);
  const year = date.getUTCFullYear() === new Date(nowMs).getUTCFullYear() ? {} : { year: 'numeric' as const };
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...year, timeZone: 'UTC' });
}
