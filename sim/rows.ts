import type { JsonObject } from '../src/domain/json.js';
import type { Kind } from '../src/domain/kind.js';
import type { PriceUnit } from '../src/domain/price.js';
import type { FedMedia, Media } from '../src/domain/row.js';

/** The rows that seeds are made of, and by what the product is told that they are charged. */

/** When a row is charged by the documents; `anywhere` is drawn for each seed, since they do not say. */
export type ChargeTime = 'at-success' | 'at-submit' | 'at-completion' | 'anywhere';

export interface RowKind {
  kind: Kind;
  charge: ChargeTime;
  unit: PriceUnit;
  /** The most units of a row, where only the finished job tells how many there are. */
  unitsMax?: number;
  /** The fewest, which not everybody knows who sets a price. */
  unitsMin?: number;
  /** `fed` is what other rows render for it. */
  row(about: RowText): { cells: JsonObject; media: Record<string, Media[]> };
}

interface RowText {
  marker: string;
  scriptLength: number;
  fed: FedMedia[];
}

/** A row of a seed. */
export interface PlannedRow {
  batch: string;
  id: string;
  kind: Kind;
  /** Characters of what it speaks, where it does. */
  scriptLength: number;
  /** The rows of its batch that feed it, by their place in the batch. */
  fedBy: number[];
  /** The row of its batch with the same request, whose render it shares, by its place in the batch. */
  shares?: number;
}

/** `batch/id`, as checks and traces name a row. */
export function rowName({ batch, id }: PlannedRow): string {
  return `${batch}/${id}`;
}

const plain = (cells: JsonObject) => ({ cells, media: {} });
const media = (marker: string, name: string): Media[] => [
  { source: 'url', url: `https://in.example/${marker}/${name}` },
];

/** Rows that stand alone. */
export const ROW_KINDS: readonly RowKind[] = [
  {
    kind: 'svc/image',
    charge: 'at-success',
    unit: 'image',
    row: ({ marker }) => plain({ model: 'svc-alpha.2-klein-4b', prompt: marker, width: 1_024, height: 1_024 }),
  },
  {
    kind: 'svc/clip',
    charge: 'at-success',
    unit: 'second',
    row: ({ marker }) => plain({ model: 'svc-epsilon-2.5-video', prompt: marker, duration: 6 }),
  },
  {
    kind: 'vendor-a/text2video',
    charge: 'anywhere',
    unit: 'second',
    row: ({ marker }) => plain({ prompt: marker, duration: 5 }),
  },
  {
    kind: 'vendor-a/motion-control',
    charge: 'anywhere',
    unit: 'input-second',
    row: ({ marker }) => ({
      cells: { character_orientation: 'image', input_video_seconds: 4 },
      media: { image: media(marker, 'a.png'), video: media(marker, 'a.mp4') },
    }),
  },
  {
    kind: 'vendor-b/avatar',
    charge: 'at-completion',
    unit: 'second',
    unitsMax: 60,
    unitsMin: 0.9,
    // The slowest speech that the product bears is five characters a second.
    row: ({ marker, scriptLength }) =>
      plain({ avatar_id: 'ann', script: marker.padEnd(scriptLength, ' la'), voice_id: 'v-amber-en' }),
  },
  {
    kind: 'vendor-c/video',
    charge: 'anywhere',
    unit: 'second',
    row: ({ marker, fed }) => ({
      cells: { model: 'vendor-c-3.0-video', prompt: marker, duration: 5 },
      media: fed.length > 0 ? { first_frame: fed } : {},
    }),
  },
  {
    kind: 'vendor-d/video',
    charge: 'at-completion',
    unit: 'million-tokens',
    unitsMax: 0.3,
    unitsMin: 0.043,
    row: ({ marker }) => plain({ prompt: marker }),
  },
  {
    kind: 'vendor-e/video',
    charge: 'anywhere',
    unit: 'second',
    row: ({ marker }) => plain({ prompt: marker, duration: 5, ratio: '16:9' }),
  },
  {
    kind: 'vendor-f/video',
    charge: 'at-submit',
    unit: 'second',
    row: ({ marker }) => plain({ model: 'vendor-f-3.1-generate-preview', prompt: marker, duration: 8 }),
  },
];

const image2video = { kind: 'vendor-a/image2video', charge: 'anywhere', unit: 'second' } as const;

/** Rows that images feed: edits feed on, films end a chain; an omni film joins several. */
export const FED_KINDS: readonly RowKind[] = [
  {
    kind: 'svc/edit',
    charge: 'at-success',
    unit: 'image',
    row: ({ marker, fed }) => ({
      cells: { model: 'svc-beta-image-edit-2511', prompt: marker, width: 512, height: 512 },
      media: { image: fed },
    }),
  },
  {
    ...image2video,
    row: ({ marker, fed }) => ({ cells: { prompt: marker, duration: 5 }, media: { image: fed } }),
  },
  {
    ...image2video,
    kind: 'vendor-a/omni-video',
    row: ({ marker, fed }) => ({ cells: { prompt: marker, duration: 5 }, media: { images: fed } }),
  },
];

/** A film whose first frame travels as the service's own URL of it: there is no bucket here. */
export const FED_BY_URL = 'vendor-c/video';

export function rowKindOf(kind: string): RowKind {
  const found = [...ROW_KINDS, ...FED_KINDS].find((one) => one.kind === kind);
  if (!found) throw new Error(`the simulation has no rows of ${kind}`);
  return found;
}

/** What a row's text carries, so that the service's truth can be told row by row. */
export function markerOf(batch: string, id: string): string {
  return `sim-${batch}-${id}-mark`;
}

/** `batch/id` of the row that a request body was made of. */
export function rowIn(body: string): string | undefined {
  const [, batch, id] = /sim-([a-z0-9]+)-([a-z0-9]+)-mark/.exec(body) ?? [];
  return batch && id ? `${batch}/${id}` : undefined;
}
