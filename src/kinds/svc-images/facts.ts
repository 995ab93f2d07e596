import type { Row } from '../../domain/row.js';
import { DAY_MS, type KindFacts, type PricedCells, type Quantities, sizeIn } from '../fact.js';
import { exactly, UNKNOWN } from '../quantities.js';

export const DELTA = 'svc-delta-4';
const GAMMA = 'svc-gamma-o1-image';

/** Delta renders 1024x1024 where no dimensions are sent (service document 1, Dimension rules). */
const DELTA_PIXELS = 1024 * 1024;

const shared = {
  output: 'image',
  // "Generated images are kept for 7 days" (service document 1).
  outputLifeMs: 7 * DAY_MS,
  // An assumption: nothing is shown of how long its URL can stand in another request.
  ownUrlLifeMs: DAY_MS,
  // "Based on the model, the tier and the output size."
  usualUnit: 'image',
  model: '',
  asked: sizeIn,
} as const satisfies Partial<KindFacts>;

export const imageFacts: KindFacts = {
  ...shared,
  priced: (given) => ({ ...stepsOf(given), tier: given.tier ?? (given.model === DELTA ? undefined : 'radical_speed') }),
  billed: ({ cells }, asked) => megapixels(asked, cells.model === DELTA ? DELTA_PIXELS : undefined),
};

export const editFacts: KindFacts = {
  ...shared,
  priced: (given) => ({ ...stepsOf(given), tier: given.tier ?? 'radical_speed' }),
  billed: (_: Row, asked) => megapixels(asked, undefined),
};

function stepsOf({ steps, model }: PricedCells): Partial<PricedCells> {
  return { steps: steps ?? (model === DELTA ? 48 : model === GAMMA ? 50 : undefined) };
}

function megapixels({ width, height }: ReturnType<typeof sizeIn>, otherwise: number | undefined): Quantities {
  const pixels = width === undefined || height === undefined ? otherwise : width * height;
  return { megapixel: pixels === undefined ? UNKNOWN : exactly(pixels / 1e6) };
}
