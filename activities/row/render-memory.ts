import type { Log } from '../../src/domain/log.js';
import { endsWith, expectedTimes, type RenderEnd, type RenderTimes } from '../../src/domain/render-times.js';
import type { Row } from '../../src/domain/row.js';
import type { Home } from '../../src/home/home.js';
import { type RenderSort, renderEnds } from '../../src/home/render-ends.js';
import { askedOutput } from '../../src/kinds/expected.js';
import { pollBaseMs } from '../../src/kinds/facts.js';
import { modelOf } from '../../src/manifest/columns.js';

/** What this worker knows of the renders of its account, by what they were asked for. */
export interface RenderMemory {
  /** A render ended; it is written to the home now and then, and lost where that fails. */
  note(row: Row, end: RenderEnd): Promise<void>;
  /** Null where too few renders like it have ended; `turn` differs from job to job, and is the same for its every poll. */
  expected(row: Row, turn: number): Promise<RenderTimes | null>;
}

/** Those that were seen least lately are forgotten first. */
const SORTS_MAX = 100;
const WRITE_EVERY_MS = 30_000;

type Remembered = Map<string, { sort: RenderSort; ends: RenderEnd[] }>;

export function openRenderMemory({ home, log, now }: { home: Home; log: Log; now(): number }): RenderMemory {
  let known: Promise<Remembered> | undefined;
  let writtenAtMs = 0;
  const recall = (): Promise<Remembered> => {
    known ??= read(home).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'what is known of render times could not be read');
      return new Map();
    });
    return known;
  };
  return {
    async note(row, end) {
      const memory = await recall();
      const sort = sortOf(row);
      const ends = endsWith(memory.get(nameOf(sort))?.ends ?? [], end);
      memory.delete(nameOf(sort));
      memory.set(nameOf(sort), { sort, ends });
      for (const name of [...memory.keys()].slice(0, Math.max(0, memory.size - SORTS_MAX))) memory.delete(name);
      if (now() - writtenAtMs < WRITE_EVERY_MS) return;
      writtenAtMs = now();
      const sorts = [...memory.values()].map((one) => ({ ...one.sort, ends: one.ends }));
      await renderEnds.write(home, { schema: 1, sorts }).catch((error: unknown) => {
        log.warn({ error: String(error) }, 'what is known of render times could not be written');
      });
    },
    async expected(row, turn) {
      const ends = (await recall()).get(nameOf(sortOf(row)))?.ends ?? [];
      return expectedTimes(ends, pollBaseMs(row.kind), turn);
    },
  };
}

async function read(home: Home): Promise<Remembered> {
  const { sorts = [] } = (await renderEnds.read(home)) ?? {};
  return new Map(sorts.map(({ ends, ...sort }) => [nameOf(sort), { sort, ends }]));
}

function sortOf(row: Row): RenderSort {
  return { kind: row.kind, model: modelOf(row), seconds: askedOutput(row).seconds ?? null };
}

function nameOf({ kind, model, seconds }: RenderSort): string {
  return `${kind} ${model} ${seconds}`;
}
