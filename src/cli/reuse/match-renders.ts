import type { CreditsRange } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import type { KnownRender } from '../../home/gather-renders.js';

/** A row that would be submitted and asks for something that was asked for before. */
export interface Candidate extends Pick<Row, 'index' | 'id' | 'kind' | 'group'> {
  key: string;
  /** At list price; null where it is not known. */
  price: CreditsRange | null;
  /** It has inputs behind URLs, whose bytes nobody has read. */
  hasUrls: boolean;
}

/** The rows and the renders of one request. */
export interface RenderGroup {
  rows: Candidate[];
  renders: KnownRender[];
  /** How many of the same are at the service just now. */
  underWay: number;
}

export interface Matched {
  row: Candidate;
  /** Undefined where none is left for the row. */
  render: KnownRender | undefined;
}

/**
 * Gives each render to one row: to the row of the same id first, the others in their own order to the rows in theirs.
 * `isWhole` is asked of a render before it is given; one that is not is given to nobody.
 */
export async function matchRenders(
  { rows, renders }: RenderGroup,
  isWhole: (render: KnownRender) => Promise<boolean>,
): Promise<Matched[]> {
  const given = new Map<Candidate, KnownRender>();
  const left = new Set(renders);
  const take = async (row: Candidate, render: KnownRender): Promise<void> => {
    left.delete(render);
    if (await isWhole(render)) given.set(row, render);
  };
  const byId = groupedById(renders);
  for (const row of rows) {
    for (const render of byId.get(row.id) ?? []) if (!given.has(row)) await take(row, render);
  }
  const others = left.values();
  for (const row of rows) {
    while (!given.has(row)) {
      const { value: render, done } = others.next();
      if (done || render === undefined) break;
      await take(row, render);
    }
  }
  return rows.map((row) => ({ row, render: given.get(row) }));
}

function groupedById(renders: readonly KnownRender[]): Map<string, KnownRender[]> {
  const byId = new Map<string, KnownRender[]>();
  for (const render of renders) byId.set(render.id, [...(byId.get(render.id) ?? []), render]);
  return byId;
}
