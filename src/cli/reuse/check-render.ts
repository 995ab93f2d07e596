import type { OutputFile, PastRender } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import type { KnownRender } from '../../home/gather-renders.js';
import { rendersOf } from '../../home/past-renders.js';
import { type Store, type StoredFile, StoreError } from '../../store/port.js';
import { type BatchPlace, type HomeAccess, openPlace } from '../access/home-access.js';
import type { NameInWay } from '../plan/taken-names.js';
import type { FoundRenders, RenderFlaw, RenderSource } from './found-renders.js';

/** A render with the place of its files. */
interface WholeRender {
  record: PastRender;
  store: Store;
}

/** A row whose output name is taken. */
export interface TakenName extends NameInWay {
  row: Pick<Row, 'index' | 'id' | 'line' | 'stem'>;
}

/** Of the row what its refusal says alone: for `--errors` every one is kept, and there may be a million. */
export function takenName({ index, id, line, stem }: Row, inWay: NameInWay): TakenName {
  return { row: { index, id, line, stem }, ...inWay };
}

export interface RenderCheck {
  /** What the record of its row tells of it, as long as it does. */
  record(source: RenderSource): Promise<PastRender | undefined>;
  /** Reads every file of it, or asks the bucket for what it knows of them. */
  whole(render: KnownRender): Promise<WholeRender | RenderFlaw>;
  store(batch: string): Promise<Store | undefined>;
}

export function createRenderCheck(access: HomeAccess): RenderCheck {
  const stores = new Map<string, Promise<Store | undefined>>();

  function store(batch: string): Promise<Store | undefined> {
    const known = stores.get(batch) ?? openOut(batch);
    stores.set(batch, known);
    return known;
  }

  async function openOut(batch: string): Promise<Store | undefined> {
    const out = (await access.home.readBatch(batch))?.out;
    return out === undefined ? undefined : openPlace(access.config, out, 'shared');
  }

  async function record({ batch, id, atMs }: RenderSource): Promise<PastRender | undefined> {
    const found = await access.records.readRecord(batch, id);
    return found && rendersOf(found).find(({ finishedAtMs }) => finishedAtMs === atMs);
  }

  return {
    record,
    store,
    async whole(render) {
      const { batch } = render;
      const [found, place] = await Promise.all([record(render), store(batch)]);
      if (found === undefined || place === undefined) return { batch, flaw: 'gone' };
      for (const file of found.files) {
        const flaw = await flawOf(place, batch, file);
        if (flaw !== undefined) return { batch, file: file.file, flaw };
      }
      return { record: found, store: place };
    },
  };
}

async function flawOf(store: Store, batch: string, file: OutputFile): Promise<RenderFlaw['flaw'] | undefined> {
  try {
    const found = await store.stat(`${batch}/${file.file}`);
    if (found === undefined) return 'gone';
    const isSame = found.sha256 === file.sha256 && found.bytes === file.bytes;
    return isSame && isSameObject(found, file) ? undefined : 'changed';
  } catch (error) {
    // A drive that is not mounted or a bucket that is closed has no render to give; the plan says so.
    if (error instanceof StoreError) return 'unreadable';
    throw error;
  }
}

/** What the bucket said at the upload, as far as that was noted. */
function isSameObject(found: StoredFile, { etag, version }: OutputFile): boolean {
  return (etag === undefined || found.etag === etag) && (version === undefined || found.version === version);
}

/** Those that are not the copy of the very render that is taken over: a command that was killed left that without a record. */
export async function namesOfOthers(
  { access, batch }: BatchPlace,
  taken: readonly TakenName[],
  found: FoundRenders | undefined,
): Promise<TakenName[]> {
  if (found === undefined || found.order === 'none' || taken.length === 0) return [...taken];
  const check = createRenderCheck(access);
  const out = openPlace(access.config, access.config.out, 'shared');
  const others: TakenName[] = [];
  for (const one of taken) {
    const source = found.sources.get(one.row.index);
    const render = source && (await check.record(source));
    const sha256 = render && (await out.stat(`${batch}/${one.file}`).catch(unreadable))?.sha256;
    if (sha256 === undefined || render?.files.every((file) => file.sha256 !== sha256)) others.push(one);
  }
  return others;
}

function unreadable(error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
}
