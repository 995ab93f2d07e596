import { defined } from '../../domain/defined.js';
import type { CreditsRange } from '../../domain/money.js';
import type { Row } from '../../domain/row.js';
import { openRenderIndex, type RenderIndex } from '../../home/render-index.js';
import { createLineIndex, type LineIndex } from '../../manifest/line-index.js';
import { openSpill, type Spill } from '../../manifest/references/spill.js';
import { renderKey } from '../../manifest/row-hash.js';
import type { HomeAccess } from '../access/home-access.js';
import { createRenderCheck } from './check-render.js';
import { type Candidate, type FoundRenders, type ManifestFacts, newFound, type ReuseOrder } from './found-renders.js';
import { fedKey, type Matching, matchAll } from './match-all.js';

/** Finds for the rows of a manifest what was rendered for the same requests before; rows wait in files meanwhile. */
export interface EarlierRenders {
  /** A row that would be submitted, with its list price. */
  add(row: Row, price: CreditsRange | null): Promise<void>;
  /** A render that a row of the manifest has already, its own or one that was taken over, by its name. */
  noteTaken(name: string): void;
  finish(facts: ManifestFacts): Promise<FoundRenders>;
  close(): Promise<void>;
}

type Waiting = Pick<Row, 'index' | 'id' | 'kind' | 'group' | 'cells' | 'media' | 'extra'> & Pick<Candidate, 'price'>;

/** Undefined where nothing of the home was rendered. */
export async function openEarlierRenders(
  access: HomeAccess,
  batch: string,
  order: ReuseOrder,
): Promise<EarlierRenders | undefined> {
  const index = openRenderIndex(access, order !== 'none');
  const known = createLineIndex();
  let isEmpty = true;
  for await (const { key } of index.renders()) {
    known.add(key, 1);
    isEmpty = false;
  }
  return isEmpty ? undefined : createEarlierRenders({ access, batch, index, known }, order);
}

interface Known {
  access: HomeAccess;
  batch: string;
  index: RenderIndex;
  /** The keys of all renders. */
  known: LineIndex;
}

function createEarlierRenders({ access, batch, index, known }: Known, order: ReuseOrder): EarlierRenders {
  const spills: { close(): Promise<void> }[] = [];
  const taken = createLineIndex();
  let asked: { rows: Spill<Candidate>; count: number } | undefined;
  let fed: Spill<Waiting> | undefined;

  async function spilled<T>(): Promise<Spill<T>> {
    const spill = await openSpill<T>();
    spills.push(spill);
    return spill;
  }

  async function consider(row: Waiting, key: string): Promise<void> {
    if (known.find(key) === undefined) return;
    asked ??= { rows: await spilled<Candidate>(), count: 0 };
    asked.count += 1;
    await asked.rows.add(candidateOf(row, key));
  }

  async function matchAsked(matching: Matching): Promise<void> {
    const { rows, count } = asked ?? {};
    asked = undefined;
    if (rows !== undefined) await matchAll(matching, rows, count ?? 0);
  }

  return {
    noteTaken: (name) => void taken.add(name, 1),
    async add(row, price) {
      const key = renderKey(row, () => undefined);
      if (key !== undefined) return consider({ ...row, price }, key);
      fed ??= await spilled<Waiting>();
      await fed.add({ ...row, price });
    },
    async finish(facts) {
      const found = newFound(order);
      const matching = { access, batch, index, taken, found, facts, check: createRenderCheck(access) };
      await matchAsked(matching);
      // What others feed comes after those: a chain is taken over from its first row on.
      const seen = new Set<number>();
      for (let before = -1; fed !== undefined && before < found.sources.count(); ) {
        before = found.sources.count();
        for await (const row of fed.rows()) {
          const key = seen.has(row.index) ? undefined : await fedKey(matching, row);
          if (key === undefined) continue;
          seen.add(row.index);
          await consider(row, key);
        }
        await matchAsked(matching);
      }
      return found;
    },
    close: async () => {
      for (const spill of spills) await spill.close();
    },
  };
}

function candidateOf({ index, id, kind, group, price, media }: Waiting, key: string): Candidate {
  const hasUrls = Object.values(media).some((list) => list.some(({ source }) => source === 'url'));
  return { key, index, id, kind, price, hasUrls, ...defined({ group }) };
}
