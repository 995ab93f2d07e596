// Manifests of rows whose id stands in what they ask for, so that the service's records name their row.
import type { JobRecord } from '../../../emulator/model/truth.js';

const COLUMNS = [
  'id',
  'kind',
  'model',
  'prompt',
  'width',
  'height',
  'avatar_id',
  'script',
  'voice_id',
  'duration',
  'image',
] as const;
export type Cells = Partial<Record<(typeof COLUMNS)[number], string>> & { id: string };

export function image(id: string, change: Partial<Cells> = {}): Cells {
  return {
    id,
    kind: 'svc/image',
    model: 'svc-alpha.2-klein-4b',
    prompt: `a picture for row ${id}.`,
    width: '320',
    height: '200',
    ...change,
  };
}

export function avatar(id: string, change: Partial<Cells> = {}): Cells {
  const script = `Hello, this is row ${id}.`;
  return { id, kind: 'vendor-b/avatar', avatar_id: 'anna', script, voice_id: 'v-amber-en', ...change };
}

export function film(id: string, change: Partial<Cells> = {}): Cells {
  const model = 'vendor-f-3.1-fast-generate-preview';
  return { id, kind: 'vendor-f/video', model, prompt: `a film for row ${id}.`, duration: '4', ...change };
}

/** So many rows, image, avatar and film in turn. */
export function mixed(count: number, prefix = 'r'): Cells[] {
  const makers = [image, avatar, film];
  return Array.from({ length: count }, (_, i) => {
    const id = `${prefix}${String(i + 1).padStart(3, '0')}`;
    return (makers[i % makers.length] ?? image)(id);
  });
}

export function csv(rows: readonly Cells[]): string {
  const lines = rows.map((row) => COLUMNS.map((column) => cell(row[column] ?? '')).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\n')}\n`;
}

function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The id of the row that a job of the service was made for. */
export function rowOf(job: JobRecord): string {
  return /\brow ([a-z0-9-]+)\./.exec(JSON.stringify(job.body))?.[1] ?? `no row in ${job.id}`;
}
