import type { Row } from '../domain/row.js';
import type { PricedCells } from '../kinds/fact.js';
import { factsOf, filledCells } from '../kinds/facts.js';

/** Reads the cells of a row that a rate can depend on (service documents 1 and 2, the submit bodies' defaults). */
export function pricedCells(row: Row): PricedCells {
  const cells = filledCells(row);
  const text = (name: string): string | undefined => (typeof cells[name] === 'string' ? cells[name] : undefined);
  const given = {
    model: text('model'),
    mode: text('mode'),
    tier: text('tier'),
    steps: typeof cells.steps === 'number' ? cells.steps : undefined,
    resolution: text('resolution'),
    audio: typeof cells.audio === 'boolean' ? cells.audio : undefined,
    sound: text('sound'),
  };
  return { ...given, ...factsOf(row.kind).priced?.(given, row) };
}

/** The same without what the documents say has no effect on the price: what equal prices have in common. */
export function rateCells(row: Row): Partial<PricedCells> {
  const ignored = factsOf(row.kind).priceIgnores ?? [];
  const { model, resolution, ...cells } = pricedCells(row);
  const all = Object.entries({ ...cells, model, resolution });
  return Object.fromEntries(all.filter(([name]) => !ignored.includes(name as keyof PricedCells)));
}
