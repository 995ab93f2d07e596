import type { Random } from './engine/random.js';
import { FED_BY_URL, type PlannedRow } from './rows.js';

/** Rows that feed rows: chains up to eight deep, fans and joins, in an order that has nothing to do with who feeds whom. */

const DEPTH_MAX = 8;
const JOINED_MAX = 4;

const COPIES_MAX = 3;

/** `ofCopies` is a source of its own: it draws rows that ask for what others ask for, after them. */
export function drawRows(random: Random, ofCopies: Random, batch: string): PlannedRow[] {
  const rows = drawGraph(random, batch);
  if (!ofCopies.chance(0.5)) return rows;
  const copies = Array.from({ length: ofCopies.int(1, COPIES_MAX) }, (_, n) => {
    const shares = ofCopies.int(0, rows.length - 1);
    return { ...(rows[shares] as PlannedRow), id: `r${rows.length + n}`, shares };
  });
  return [...rows, ...copies];
}

function drawGraph(random: Random, batch: string): PlannedRow[] {
  const count = random.int(4, 14);
  // A few roots make fans, more of them short chains beside each other; deep ones go on from the newest.
  const rootShare = random.pick([0.1, 0.25, 0.5]);
  const isDeep = random.chance(0.4);
  const order = shuffled(
    random,
    Array.from({ length: count }, (_, place) => place),
  );
  const rows: PlannedRow[] = [];
  const stills: { place: number; depth: number }[] = [];
  for (const place of order) {
    const feeders = stills.filter(({ depth }) => depth < DEPTH_MAX);
    const pick = () => (isDeep ? feeders.at(-1) : random.pick(feeders)) ?? { place: 0, depth: 0 };
    const put = (kind: PlannedRow['kind'], fedBy: number[]): void => {
      rows[place] = { batch, id: `r${place}`, kind, scriptLength: 0, fedBy };
    };
    if (feeders.length === 0 || random.chance(rootShare)) {
      put('svc/image', []);
      stills.push({ place, depth: 1 });
    } else if (random.chance(0.25)) {
      put(
        'vendor-a/omni-video',
        Array.from({ length: random.int(1, JOINED_MAX) }, () => random.pick(feeders).place),
      );
    } else if (random.chance(0.35)) {
      put(random.pick(['vendor-a/image2video', FED_BY_URL]), [pick().place]);
    } else {
      const from = pick();
      put('svc/edit', [from.place]);
      stills.push({ place, depth: from.depth + 1 });
    }
  }
  return rows;
}

function shuffled(random: Random, items: number[]): number[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.int(0, rest.length - 1), 1)[0] ?? 0);
}
