import type { Kind } from '../../domain/kind.js';
import type { PriceUnit } from '../../domain/price.js';

/** What the service's price pages count, by kind: "based on the model, the tier and the output size", else per second. */
const USUAL_UNITS: Record<Kind, PriceUnit> = {
  'svc/image': 'image',
  'svc/edit': 'image',
  'svc/clip': 'second',
  'svc/animation': 'second',
  'vendor-a/text2video': 'second',
  'vendor-a/image2video': 'second',
  'vendor-a/omni-video': 'second',
  'vendor-a/motion-control': 'input-second',
  'vendor-b/avatar': 'second',
  'vendor-c/video': 'second',
  'vendor-g/video': 'second',
  'vendor-d/video': 'million-tokens',
  'vendor-e/video': 'second',
  'vendor-f/video': 'second',
  'vendor-f/interaction': 'request',
};

/** Stands for a figure that only the service's price page knows; as a price it is refused. */
const TO_FILL_IN = '?';

/** The `prices` setting for these kinds, to be filled in. */
export function priceSnippet(kinds: readonly Kind[]): { prices: object[] } {
  const prices = kinds.map((kind) => ({ kind, components: [{ unit: USUAL_UNITS[kind], credits: TO_FILL_IN }] }));
  return { prices };
}
