import type { ResolvedMedia, ResolvedMediaSet, Row } from '../../src/domain/row.js';
import type { MediaBlob } from '../../src/manifest/media/media-reader.js';

/** The inline media of checked rows, kept in memory, and the form in which an adapter gets them. */
export interface KeptMedia {
  keepBlob(blob: MediaBlob): Promise<void>;
  resolve(row: Row): ResolvedMediaSet;
}

export function keptMedia(): KeptMedia {
  const base64 = new Map<string, string>();
  return {
    async keepBlob(blob) {
      base64.set(blob.sha256, Buffer.from(await blob.read()).toString('base64'));
    },
    resolve(row) {
      const sets = Object.entries(row.media).map(([column, items]) => {
        const resolved = items.map((item): ResolvedMedia => {
          if (item.source === 'url') return { form: 'url', url: item.url };
          if (item.source === 'row') throw new Error(`row ${item.id} rendered nothing here`);
          return { form: 'bytes', mediaType: item.mediaType, base64: base64.get(item.sha256) ?? '' };
        });
        return [column, resolved];
      });
      return Object.fromEntries(sets);
    },
  };
}
