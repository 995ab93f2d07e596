import type { Row } from '../../domain/row.js';
import { StoreError } from '../../store/port.js';
import { type HomeAccess, openPlace } from '../access/home-access.js';
import { createRenderCheck } from './check-render.js';
import type { FoundRenders } from './found-renders.js';

/** A row whose output name is taken. */
export interface TakenName {
  row: Row;
  /** Relative to the batch's folder. */
  file: string;
}

/** Those that are not the copy of the very render that is taken over: a command that was killed left that without a record. */
export async function namesOfOthers(
  access: HomeAccess,
  place: { out: string; batch: string },
  taken: readonly TakenName[],
  found: FoundRenders | undefined,
): Promise<TakenName[]> {
  if (found === undefined || found.order === 'none' || taken.length === 0) return [...taken];
  const check = createRenderCheck(access);
  const out = openPlace(access.config, place.out, 'shared');
  const others: TakenName[] = [];
  for (const one of taken) {
    const source = found.sources.get(one.row.index);
    const render = source && (await check.record(source));
    const sha256 = render && (await out.stat(`${place.batch}/${one.file}`).catch(unreadable))?.sha256;
    if (sha256 === undefined || render?.files.every((file) => file.sha256 !== sha256)) others.push(one);
  }
  return others;
}

function unreadable(error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
}
