import type { Log } from '../../src/domain/log.js';
import { ENDS_MIN, endsWith, expectedTimes, type RenderEnd, type RenderTimes } from '../../src/domain/render-times.js';
import type { Row } from '../../src/domain/row.js';
import type { Home } from '../../src/home/home.js';
import { type RenderSort, renderEnds } from '../../src/home/render-ends.js';
import { outputLength } from '../../src/kinds/expected.js';
import { pollBaseMs } from '../../src/kinds/facts.js';
import { modelOf } from '../../src/manifest/columns.js';

/** What this worker knows of the renders of its account, by what they were asked for. Nothing of it ever fails. */
export interface RenderMemory {
  /** A render ended; it is written to the home now and then. */
  note(row: Row, end: RenderEnd): Promise<void>;
  /** Null where too few renders like it have ended; `turn` differs from job to job, and is the same for its every poll. */
  expected(row: Row, turn: number): Promise<RenderTimes | null>;
}

/** Those that were seen least lately are forgotten first. */
const SORTS_MAX = 100;
const WRITE_EVERY_MS = 30_000;

type Remembered = Map<string, { sort: RenderSort; ends: readonly RenderEnd[] }>;

export function openRenderMemory({
  home,
  log,
  monotonic,
}: {
  home: Home;
  log: Log;
  monotonic(): number;
}): RenderMemory {
  const own: Remembered = new Map();
  let others: Promise<Remembered> | undefined;
  let writtenAtMs = monotonic();

  /** Undefined until the home could be read: what is seen before is not remembered, and takes the place of nothing there. */
  async function known(name: string): Promise<readonly RenderEnd[] | undefined> {
    try {
      others ??= read(home);
      const before = await others;
      return own.get(name)?.ends ?? before.get(name)?.ends ?? [];
    } catch (error) {
      others = undefined;
      log.warn({ error: String(error) }, 'what is known of render times could not be read');
      return undefined;
    }
  }

  /** Other workers of the account write theirs: what this one has not seen itself is left as it is. */
  async function write(): Promise<void> {
    try {
      const theirs = [...(await read(home))].filter(([name]) => !own.has(name));
      const all = [...theirs, ...own].slice(-SORTS_MAX);
      const sorts = all.map(([, { sort, ends }]) => ({ ...sort, ends: [...ends] }));
      await renderEnds.write(home, { schema: 1, sorts });
    } catch (error) {
      log.warn({ error: String(error) }, 'what is known of render times could not be written');
    }
  }

  return {
    async note(row, end) {
      const sort = sortOf(row);
      const name = nameOf(sort);
      const before = await known(name);
      const ends = before && endsWith(before, end);
      if (ends === undefined || ends === before) return;
      own.delete(name);
      own.set(name, { sort, ends });
      for (const least of [...own.keys()].slice(0, Math.max(0, own.size - SORTS_MAX))) own.delete(least);
      if (ends.length > ENDS_MIN && monotonic() - writtenAtMs < WRITE_EVERY_MS) return;
      writtenAtMs = monotonic();
      await write();
    },
    async expected(row, turn) {
      return expectedTimes((await known(nameOf(sortOf(row)))) ?? [], pollBaseMs(row.kind), turn);
    },
  };
}

async function read(home: Home): Promise<Remembered> {
  const { sorts = [] } = (await renderEnds.read(home)) ?? {};
  return new Map(sorts.map(({ ends, ...sort }) => [nameOf(sort), { sort, ends }]));
}

function sortOf(row: Row): RenderSort {
  return { kind: row.kind, model: modelOf(row), seconds: outputLength(row) };
}

function nameOf({ kind, model, seconds }: RenderSort): string {
  return `${kind} ${model} ${seconds}`;
}
