import type { JobRecord } from '../../emulator/model/truth.js';
import type { Random } from './random.js';

/** Rows of twelve kinds, and what they cost at the service's double. `@` stands for a local image. */
const KINDS: readonly Readonly<Record<string, string>>[] = [
  { kind: 'svc/image', model: 'svc-alpha.2-klein-4b', width: '320', height: '200' },
  { kind: 'svc/image', model: 'svc-beta-image-2512', width: '512', height: '512' },
  { kind: 'svc/edit', model: 'svc-beta-image-edit-2511', image: '@', width: '512', height: '512' },
  { kind: 'svc/clip', model: 'svc-epsilon-2.3-video', width: '1280', height: '720', duration: '2' },
  { kind: 'svc/animation', model: 'svc-epsilon-2.3-video', image: '@', width: '1280', height: '720', duration: '2' },
  { kind: 'vendor-a/text2video', duration: '5' },
  { kind: 'vendor-a/image2video', image: '@', duration: '5' },
  { kind: 'vendor-b/avatar', avatar_id: 'anna', voice_id: 'v-amber-en' },
  { kind: 'vendor-c/video', model: 'vendor-c-3.0-video', resolution: '480P', duration: '5' },
  { kind: 'vendor-d/video', resolution: '480p', audio: 'false' },
  { kind: 'vendor-e/video', resolution: '768P', duration: '4', ratio: '16:9' },
  { kind: 'vendor-f/video', model: 'vendor-f-3.1-lite-generate-preview', resolution: '720p', duration: '4' },
  { kind: 'vendor-g/video', model: 'vendor-g-1.1-t2v', resolution: '480P', duration: '3' },
];
export const IMAGE_FILES = 50;

/** The double's own prices of these rows, as callsheet is told them. */
export const PRICES = [
  priced('svc/image', 'megapixel', '0.001', { model: 'svc-alpha.2-klein-4b' }),
  priced('svc/image', 'megapixel', '0.012', { model: 'svc-beta-image-2512' }),
  priced('svc/edit', 'megapixel', '0.018'),
  priced('svc/clip', 'second', '0.015'),
  priced('svc/animation', 'second', '0.015'),
  priced('vendor-a/text2video', 'second', '0.08'),
  priced('vendor-a/image2video', 'second', '0.08'),
  priced('vendor-b/avatar', 'second', '0.05', {}, 5),
  priced('vendor-c/video', 'second', '0.04'),
  priced('vendor-d/video', 'million-tokens', '2.5', {}, 0.1),
  priced('vendor-e/video', 'second', '0.06'),
  priced('vendor-f/video', 'second', '0.03'),
  priced('vendor-g/video', 'second', '0.05'),
];

function priced(kind: string, unit: string, credits: string, match: { model?: string } = {}, upTo?: number) {
  return { kind, ...match, components: [{ unit, credits, ...(upTo === undefined ? {} : { upTo }) }] };
}

const COLUMNS = ['id', ...new Set(KINDS.flatMap((row) => Object.keys(row))), 'prompt', 'script'];

/** A manifest whose rows name themselves in what they ask for, so that the service's records name their row. */
export function soakManifest(batch: string, rows: number, random: Random): { ids: string[]; csv: string } {
  const ids: string[] = [];
  const lines: string[] = [];
  for (let at = 0; at < rows; at += 1) {
    const id = `${batch}-${String(at).padStart(4, '0')}`;
    const kind = random.pick(KINDS);
    const text = `a picture for row ${id}.`;
    const words = kind.kind === 'vendor-b/avatar' ? { script: text } : { prompt: text };
    const cells: Record<string, string> = { ...kind, ...words, id };
    ids.push(id);
    lines.push(
      COLUMNS.map((name) => (cells[name] ?? '').replace('@', () => `media/${random.below(IMAGE_FILES)}.png`)).join(','),
    );
  }
  return { ids, csv: `${COLUMNS.join(',')}\n${lines.join('\n')}\n` };
}

/** The row that a job of the service was made for. */
export function rowOf({ body, id }: JobRecord): string {
  return /\brow ([a-z0-9-]+)\./.exec(JSON.stringify(body))?.[1] ?? `no row in ${id}`;
}
