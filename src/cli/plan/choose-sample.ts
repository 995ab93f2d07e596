import type { CreditsRange } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import { modelOf } from '../../manifest/cost-notes.js';

/** Which rows stand for a manifest: each kind, model, price and group first, then spread over the rest. Pure. */

/** A row that would be submitted, by what makes it unlike others, the most telling first. */
export interface Candidate {
  id: string;
  traits: string[];
}

export function candidateOf(row: Pick<Row, 'id' | 'kind' | 'cells' | 'group'>, price: CreditsRange | null): Candidate {
  const model = `${row.kind} ${modelOf(row)}`;
  const cost = price === null ? '' : `${price.lo}-${price.hi}`;
  return { id: row.id, traits: [row.kind, model, `${model} ${cost}`, `group ${row.group ?? ''}`] };
}

/** At most `count` ids, in the manifest's order. */
export function chooseSample(candidates: readonly Candidate[], count: number): string[] {
  const chosen = new Set<number>();
  const seen = new Set<string>();
  const take = (at: number): void => {
    chosen.add(at);
    for (const trait of candidates[at]?.traits ?? []) seen.add(trait);
  };
  const depth = candidates[0]?.traits.length ?? 0;
  for (let level = 0; level < depth; level += 1) {
    for (const [at, { traits }] of candidates.entries()) {
      if (chosen.size >= count) break;
      if (!seen.has(traits[level] ?? '')) take(at);
    }
  }
  const rest = [...candidates.keys()].filter((at) => !chosen.has(at));
  const left = Math.min(rest.length, count - chosen.size);
  for (let i = 0; i < left; i += 1) take(rest[Math.floor(((i + 0.5) * rest.length) / left)] ?? 0);
  return [...chosen].sort((a, b) => a - b).map((at) => candidates[at]?.id ?? '');
}
