import type { Row } from '../domain/row.js';
import { standingOf } from '../domain/standing.js';
import type { Ledger } from './ledger.js';
import type { StoredRow } from './row-records.js';
import type { Rows } from './rows.js';

/**
 * Rows that left the manifest after an attempt was made (design 2, Identity and running again), as they stood last;
 * newer generations first, each in its own order. Ids in `present` are still in the manifest.
 */
export async function* removedRows(
  { rows, ledger }: { rows: Rows; ledger: Ledger },
  batch: string,
  earlier: readonly string[],
  present: ReadonlySet<string>,
): AsyncIterable<StoredRow> {
  const seen = new Set<string>();
  for (const generation of earlier) {
    const parts = (await rows.generation(batch, generation))?.parts.length ?? 0;
    for (let part = 0; part < parts; part += 1) {
      for (const stored of await rows.readPart(batch, generation, part)) {
        const { id }: Row = stored.row;
        if (present.has(id) || seen.has(id)) continue;
        seen.add(id);
        if (await wasTried(ledger, batch, id)) yield stored;
      }
    }
  }
}

/** A place that was made void is no attempt: nothing was ever sent. */
async function wasTried(ledger: Ledger, batch: string, id: string): Promise<boolean> {
  return (await ledger.read(batch, id)).some((attempt) => standingOf(attempt) !== 'void');
}
