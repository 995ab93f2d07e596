import { readFile } from 'node:fs/promises';
import { readRecord } from '../../src/engine/engine-record.js';
import { enginePlaces } from '../../src/engine/places.js';

const LOOK_EVERY_MS = 500;

/** From now on the most memory that processes hold together, MB; what is given back ends the watch and tells it. */
export function watchMemory(pidsNow: () => readonly (number | null | undefined)[]): () => number {
  let most = 0;
  const look = async (): Promise<void> => {
    const each = await Promise.all(pidsNow().map((pid) => shareMbOf(pid)));
    most = Math.max(
      most,
      each.reduce((sum, mb) => sum + mb, 0),
    );
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    return Math.round(most);
  };
}

/** Supervisor, server and worker of the engine of a data folder, as far as they are there. */
export function enginePids(dataFolder: string): (number | null)[] {
  const record = readRecord(enginePlaces(dataFolder).record);
  return record === undefined ? [] : [record.supervisor, record.server, record.worker].map((mark) => mark?.pid ?? null);
}

/** What a process holds, MB: a page that several processes hold, as Node's own code, counts once among them. */
async function shareMbOf(pid: number | null | undefined): Promise<number> {
  const text = pid == null ? '' : await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1_024;
}
