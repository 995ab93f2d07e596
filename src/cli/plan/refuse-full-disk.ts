import { type Store, StoreError } from '../../store/port.js';

/** Refuses a place without room for the outputs (`B54`); one that cannot tell its room takes all. */
export async function refuseFullDisk(out: Store, neededBytes: number): Promise<void> {
  const free = await out.freeBytes();
  if (free === undefined || free >= neededBytes) return;
  const message = `${megabytes(free)} are free, and the outputs need about ${megabytes(neededBytes)}; make room or use another --out`;
  throw new StoreError('ENOSPC', message);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
