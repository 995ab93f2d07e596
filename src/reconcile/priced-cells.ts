import type { Row } from '../domain/row.js';

/** What a price rule can name, with the documents' defaults filled in. */
export interface PricedCells {
  model: string | undefined;
  tier: string | undefined;
  steps: number | undefined;
  resolution: string | undefined;
  mode: string | undefined;
  audio: boolean | undefined;
  sound: string | undefined;
}

const DELTA = 'svc-delta-4';
const GAMMA = 'svc-gamma-o1-image';

/** Reads the cells of a row that a rate can depend on (service documents 1 and 2, the submit bodies' defaults). */
export function pricedCells(row: Row): PricedCells {
  const text = (name: string): string | undefined => {
    const value = row.cells[name];
    return typeof value === 'string' ? value : undefined;
  };
  const number = (name: string): number | undefined => {
    const value = row.cells[name];
    return typeof value === 'number' ? value : undefined;
  };
  const model = text('model') ?? defaultModel(row);
  const isVendorA = row.kind.startsWith('vendor-a/');
  const mode = isVendorA ? (text('mode') ?? 'std') : undefined;
  const audio = row.cells.audio;
  return {
    model,
    mode,
    tier: text('tier') ?? (takesTier(row, model) ? 'radical_speed' : undefined),
    steps: number('steps') ?? (model === DELTA ? 48 : model === GAMMA ? 50 : undefined),
    resolution: text('resolution') ?? defaultResolution(row, number('height')),
    audio: typeof audio === 'boolean' ? audio : defaultAudio(row),
    // In 4k audio is always included, and the flag is ignored (service document 2, Multi-mode video).
    sound: isVendorA ? (mode === '4k' ? 'on' : (text('sound') ?? 'off')) : undefined,
  };
}

/** The same without what the documents say has no effect on the price: what equal prices have in common. */
export function rateCells(row: Row): Partial<PricedCells> {
  const { model, resolution, ...cells } = pricedCells(row);
  // "Both have the same price"; the resolution "does not change price" (service document 2, Avatar video).
  return row.kind === 'vendor-b/avatar' ? cells : { ...cells, model, resolution };
}

function defaultModel(row: Row): string | undefined {
  switch (row.kind) {
    case 'vendor-a/text2video':
    case 'vendor-a/image2video':
    case 'vendor-a/motion-control':
      return 'vendor-a-v3';
    case 'vendor-a/omni-video':
      return 'vendor-a-v3-omni';
    case 'vendor-b/avatar':
      return row.media.image === undefined ? 'avatar_v' : 'avatar_iv';
    case 'vendor-d/video':
      return 'vendor-d-2-5-260628';
    case 'vendor-e/video':
      return 'Vendor-E-H3';
    default:
      return undefined;
  }
}

function takesTier(row: Row, model: string | undefined): boolean {
  return (row.kind === 'svc/image' && model !== DELTA) || row.kind === 'svc/edit';
}

function defaultResolution(row: Row, height: number | undefined): string | undefined {
  switch (row.kind) {
    case 'svc/clip':
    case 'svc/animation':
      return height === 720 ? '720p' : '1080p';
    case 'vendor-b/avatar':
      return '1080p';
    case 'vendor-c/video':
    case 'vendor-g/video':
      return '1080P';
    case 'vendor-d/video':
    case 'vendor-f/video':
      return '720p';
    default:
      return undefined;
  }
}

function defaultAudio(row: Row): boolean | undefined {
  if (row.kind === 'svc/clip' || row.kind === 'svc/animation') return false;
  return row.kind === 'vendor-d/video' ? true : undefined;
}
