/** The emulator's own price list. The documents show none but the lowest image rate, 0.0006 credits per megapixel. */
import type { Kind, PriceRule, PriceUnit } from './prices.js';

type Match = Omit<PriceRule, 'kind' | 'components'>;

function price(kind: Kind, match: Match, unit: PriceUnit, credits: string): PriceRule {
  return { kind, ...match, components: [{ unit, credits }] };
}

function tiers(kind: Kind, model: string, value: string, speed: string): PriceRule[] {
  return [
    price(kind, { model, tier: 'radical_value' }, 'megapixel', value),
    price(kind, { model }, 'megapixel', speed),
  ];
}

function byResolution(kind: Kind, model: string, table: Record<string, string>): PriceRule[] {
  return Object.entries(table).map(([resolution, credits]) => price(kind, { model, resolution }, 'second', credits));
}

const IMAGE_PRICES: PriceRule[] = [
  ...tiers('svc/image', 'svc-alpha.2-klein-4b', '0.0006', '0.001'),
  ...tiers('svc/image', 'svc-alpha.2-klein-9b', '0.0015', '0.0025'),
  ...tiers('svc/image', 'svc-alpha.1-schnell', '0.0008', '0.0014'),
  ...tiers('svc/image', 'svc-beta-image-2512', '0.008', '0.012'),
  ...tiers('svc/image', 'svc-gamma-o1-image', '0.02', '0.03'),
  // The delta model is billed per image by step count: Turbo, Balanced, Quality (service document 1, "Billing basis").
  price('svc/image', { model: 'svc-delta-4', stepsMax: 12 }, 'image', '0.02'),
  price('svc/image', { model: 'svc-delta-4', stepsMax: 20 }, 'image', '0.03'),
  price('svc/image', { model: 'svc-delta-4' }, 'image', '0.05'),
  ...tiers('svc/edit', 'svc-alpha.2-klein-4b-edit', '0.001', '0.0015'),
  ...tiers('svc/edit', 'svc-alpha.2-klein-9b-edit', '0.002', '0.003'),
  ...tiers('svc/edit', 'svc-beta-image-edit-2511', '0.012', '0.018'),
];

const CLIP_PRICES: PriceRule[] = (['svc/clip', 'svc/animation'] as const).flatMap((kind) => [
  price(kind, { model: 'svc-epsilon-2.5-video', resolution: '1080p' }, 'second', '0.04'),
  price(kind, { model: 'svc-epsilon-2.5-video' }, 'second', '0.02'),
  price(kind, { model: 'svc-epsilon-2.3-video', resolution: '1080p' }, 'second', '0.03'),
  price(kind, { model: 'svc-epsilon-2.3-video' }, 'second', '0.015'),
]);

const VENDOR_A_PRICES: PriceRule[] = [
  ...(['vendor-a/text2video', 'vendor-a/image2video'] as const).flatMap((kind) => [
    price(kind, { mode: '4k' }, 'second', '0.3'),
    price(kind, { mode: 'pro', sound: 'on' }, 'second', '0.16'),
    price(kind, { mode: 'pro' }, 'second', '0.11'),
    price(kind, { sound: 'on' }, 'second', '0.12'),
    price(kind, {}, 'second', '0.08'),
  ]),
  price('vendor-a/omni-video', { mode: '4k' }, 'second', '0.32'),
  price('vendor-a/omni-video', { mode: 'pro' }, 'second', '0.12'),
  price('vendor-a/omni-video', {}, 'second', '0.09'),
  price('vendor-a/motion-control', { mode: 'pro' }, 'input-second', '0.14'),
  price('vendor-a/motion-control', {}, 'input-second', '0.1'),
];

const SHARED_ROUTE_PRICES: PriceRule[] = [
  ...byResolution('vendor-c/video', 'vendor-c-3.0-video', { '480P': '0.04', '720P': '0.08', '1080P': '0.12' }),
  ...byResolution('vendor-c/video', 'vendor-c-3.0-video-prime', { '480P': '0.03', '720P': '0.06', '1080P': '0.09' }),
  price('vendor-c/video', { resolution: '720P' }, 'second', '0.1'),
  price('vendor-c/video', {}, 'second', '0.15'),
  price('vendor-g/video', { resolution: '480P' }, 'second', '0.05'),
  price('vendor-g/video', { resolution: '720P' }, 'second', '0.1'),
  price('vendor-g/video', {}, 'second', '0.16'),
];

/** The prices that hold where the options name none; the first match wins. */
export const DEFAULT_PRICES: readonly PriceRule[] = [
  ...IMAGE_PRICES,
  ...CLIP_PRICES,
  ...VENDOR_A_PRICES,
  price('vendor-b/avatar', {}, 'second', '0.05'),
  ...SHARED_ROUTE_PRICES,
  price('vendor-d/video', { audio: false }, 'million-tokens', '2.5'),
  price('vendor-d/video', {}, 'million-tokens', '4'),
  // Reference video costs the output rate; five reference images are included (service document 2, Limits).
  ...(
    [
      ['2K', '0.12'],
      ['768P', '0.06'],
    ] as const
  ).map(
    ([resolution, rate]): PriceRule => ({
      kind: 'vendor-e/video',
      resolution,
      components: [
        { unit: 'second', credits: rate },
        { unit: 'reference-second', credits: rate },
        { unit: 'reference-image', credits: '0.02', above: 5 },
      ],
    }),
  ),
  ...byResolution('vendor-f/video', 'vendor-f-3.1-generate-preview', { '720p': '0.2', '1080p': '0.2', '4k': '0.4' }),
  ...byResolution('vendor-f/video', 'vendor-f-3.1-fast-generate-preview', {
    '720p': '0.1',
    '1080p': '0.12',
    '4k': '0.3',
  }),
  ...byResolution('vendor-f/video', 'vendor-f-3.1-lite-generate-preview', { '720p': '0.03', '1080p': '0.05' }),
  price('vendor-f/interaction', {}, 'request', '0.04'),
];
