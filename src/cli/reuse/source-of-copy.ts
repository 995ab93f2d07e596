import { type OutputFile, type RowRecord, sharedFrom } from '../../domain/outcome.js';
import { createOutputs } from '../../store/outputs.js';
import type { Store } from '../../store/port.js';
import { type HomeAccess, openPlace } from '../access/home-access.js';

/** Where the copies of a row were made from: an earlier render that was taken over, or one that it shares. */

/** Files that are whole by the record of their own row. */
export interface CopySource {
  batch: string;
  store: Store;
  files: OutputFile[];
}

export interface CopyOrigin {
  batch: string;
  record: RowRecord;
}

/** A row that shares a render which was itself taken over; more are made by damaged records alone. */
const ORIGINS_MAX = 3;

/** The rows that a copy came through, the nearest first. */
export async function originsOf({ records }: HomeAccess, batch: string, row: RowRecord): Promise<CopyOrigin[]> {
  const origins: CopyOrigin[] = [];
  let at = originOf(batch, row);
  while (at !== undefined && origins.length < ORIGINS_MAX) {
    const record = await records.readRecord(at.batch, at.id);
    if (record === undefined) break;
    origins.push({ batch: at.batch, record });
    at = originOf(at.batch, record);
  }
  return origins;
}

function originOf(batch: string, record: RowRecord): { batch: string; id: string } | undefined {
  const { reusedFrom } = record;
  const shared = sharedFrom(record);
  if (reusedFrom === undefined) return shared === undefined ? undefined : { batch, id: shared };
  const slash = reusedFrom.indexOf('/');
  return { batch: reusedFrom.slice(0, slash), id: reusedFrom.slice(slash + 1) };
}

export interface CopySources {
  /** The nearest of them that has just these bytes, whole; what it was rendered again to since is another file. */
  whole(origins: readonly CopyOrigin[], copies: readonly OutputFile[]): Promise<CopySource | undefined>;
}

/** Opens each place once, however many copies came from it. */
export function openCopySources({ home, config }: HomeAccess): CopySources {
  const stores = new Map<string, Store>();

  function storeOf(out: string): Store {
    const store = stores.get(out) ?? openPlace(config, out, 'shared');
    stores.set(out, store);
    return store;
  }

  return {
    async whole(origins, copies) {
      for (const { batch, record } of origins) {
        const out = (await home.readBatch(batch))?.out;
        const render = [record, ...(record.pastRenders ?? [])].find(({ files }) => hasBytes(files, copies));
        if (out === undefined || render === undefined) continue;
        const store = storeOf(out);
        const files = await createOutputs(store, batch).there(render.files);
        if (files !== undefined) return { batch, store, files };
      }
      return undefined;
    },
  };
}

function hasBytes(files: readonly OutputFile[], copies: readonly OutputFile[]): boolean {
  const isEqual = ({ sha256 }: OutputFile, i: number): boolean => sha256 === copies[i]?.sha256;
  return files.length > 0 && files.length === copies.length && files.every(isEqual);
}
