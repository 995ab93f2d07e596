import type { CreditsRange } from '../../domain/money.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { modelOf } from '../../manifest/columns.js';

/** Which rows stand for a manifest: each kind, model, price and group first, then spread over the rest. Pure. */

/** A row that would be submitted, by what makes it unlike others, the most telling first. */
export interface Candidate {
  id: string;
  traits: string[];
  /** The indexes of the rows that feed it. */
  feeders: number[];
}

type Asked = Pick<Row, 'id' | 'kind' | 'cells' | 'group' | 'media'>;

export function candidateOf(row: Asked, price: CreditsRange | null): Candidate {
  const model = `${row.kind} ${modelOf(row)}`;
  const cost = price === null ? '' : `${price.lo}-${price.hi}`;
  const traits = [row.kind, model, `${model} ${cost}`, `group ${row.group ?? ''}`];
  return { id: row.id, traits, feeders: fedMedia(row).map(({ at }) => at) };
}

/**
 * `count` ids in the manifest's order, or more: a row comes with the rows that feed it, and one that feeds others with
 * one of those. The candidates are told by their rows' indexes.
 */
export function chooseSample(candidates: ReadonlyMap<number, Candidate>, count: number): string[] {
  const ends = chainEnds(candidates);
  const chosen = new Set<number>();
  const seen = new Set<string>();
  const take = (at: number): void => {
    const candidate = candidates.get(at);
    if (candidate === undefined || chosen.has(at)) return;
    chosen.add(at);
    for (const trait of candidate.traits) seen.add(trait);
    for (const feeder of candidate.feeders) take(feeder);
  };
  const takeSome = (from: readonly number[], isWanted: (at: number) => boolean): void => {
    for (const at of [...spread(from, count - chosen.size), ...from]) {
      if (chosen.size >= count) return;
      if (isWanted(at)) take(ends(at));
    }
  };
  const [first] = candidates.values();
  for (let level = 0; level < (first?.traits.length ?? 0); level += 1) {
    const traitOf = (at: number): string => candidates.get(at)?.traits[level] ?? '';
    const firstOfEach = new Map<string, number>();
    for (const at of candidates.keys()) if (!firstOfEach.has(traitOf(at))) firstOfEach.set(traitOf(at), at);
    takeSome(
      [...firstOfEach.values()].filter((at) => !seen.has(traitOf(at))),
      (at) => !seen.has(traitOf(at)),
    );
  }
  takeSome(
    [...candidates.keys()].filter((at) => !chosen.has(at)),
    () => true,
  );
  return [...chosen].sort((a, b) => a - b).map((at) => candidates.get(at)?.id ?? '');
}

/** So many of them, as far apart as they can be. */
function spread(from: readonly number[], count: number): number[] {
  const some = Math.max(0, Math.min(from.length, count));
  return Array.from({ length: some }, (_, i) => from[Math.floor(((i + 0.5) * from.length) / some)] ?? 0);
}

/** Gives for a row the end of a chain that goes through it: the row itself where it feeds none. */
function chainEnds(candidates: ReadonlyMap<number, Candidate>): (at: number) => number {
  const next = new Map<number, number>();
  for (const [at, { feeders }] of candidates) {
    for (const feeder of feeders) if (!next.has(feeder)) next.set(feeder, at);
  }
  return (start) => {
    let end = start;
    for (let at = next.get(end); at !== undefined; at = next.get(end)) end = at;
    return end;
  };
}
