// The emulator's own prices of what the tests render, as callsheet is told them.
export const PRICES = [
  {
    kind: 'svc/image',
    model: 'svc-alpha.2-klein-4b',
    components: [{ unit: 'megapixel', credits: '0.001' }],
  },
  { kind: 'vendor-b/avatar', components: [{ unit: 'second', credits: '0.05', upTo: 60 }] },
  {
    kind: 'vendor-f/video',
    model: 'vendor-f-3.1-fast-generate-preview',
    components: [{ unit: 'second', credits: '0.1' }],
  },
];
