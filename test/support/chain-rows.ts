// Rows that other rows feed.
import type { FedMedia, Row } from '../../src/domain/row.js';
import { imageRow } from './stack.js';

export function fed(id: string, at: number): FedMedia {
  return { source: 'row', id, at };
}

export function editRow(id: string, image: FedMedia, change: Partial<Row> = {}): Row {
  const cells = { model: 'svc-beta-image-edit-2511', prompt: `edit ${id}`, width: 512, height: 512 };
  return imageRow(id, { kind: 'svc/edit', cells, media: { image: [image] }, ...change });
}

/** A clip that begins with an image. */
export function filmOf(id: string, image: FedMedia, change: Partial<Row> = {}): Row {
  const cells = { prompt: `film ${id}`, duration: 5 };
  return imageRow(id, { kind: 'vendor-a/image2video', cells, media: { image: [image] }, ...change });
}
