/** Remembers under which line a key was seen first, in 12 bytes per key, so that a million rows fit. */
export interface LineIndex {
  /** The line of an earlier equal key, or undefined after the key was added. */
  add(key: string, line: number): number | undefined;
  /** The line of the key. */
  find(key: string): number | undefined;
}

const FIRST_SLOTS = 1 << 12;

/**
 * Open addressing over a 64-bit hash of the key. Two different keys of a million share a hash once in about thirty
 * million manifests; then the second is reported as taken, and renaming it helps.
 */
export function createLineIndex(): LineIndex {
  let slots = FIRST_SLOTS;
  let used = 0;
  let table = new Uint32Array(slots * 3);

  /** The slot of the hash: its own, or the free one where it belongs. */
  function find(target: Uint32Array, size: number, high: number, low: number): number {
    let slot = (high ^ low) & (size - 1);
    for (;;) {
      const at = slot * 3;
      if (target[at + 2] === 0 || (target[at] === high && target[at + 1] === low)) return at;
      slot = (slot + 1) & (size - 1);
    }
  }

  function grow(): void {
    const bigger = new Uint32Array(slots * 2 * 3);
    for (let at = 0; at < table.length; at += 3) {
      if (table[at + 2] === 0) continue;
      const place = find(bigger, slots * 2, table[at] ?? 0, table[at + 1] ?? 0);
      bigger.set(table.subarray(at, at + 3), place);
    }
    table = bigger;
    slots *= 2;
  }

  return {
    add(key, line) {
      const [high, low] = hash64(key);
      const at = find(table, slots, high, low);
      const earlier = table[at + 2] ?? 0;
      if (earlier !== 0) return earlier;
      table[at] = high;
      table[at + 1] = low;
      table[at + 2] = line;
      used += 1;
      if (used * 2 > slots) grow();
      return undefined;
    },
    find(key) {
      const [high, low] = hash64(key);
      return table[find(table, slots, high, low) + 2] || undefined;
    },
  };
}

/** Two independent 32-bit mixes of the text (the cyrb53 construction, without dropping bits). */
function hash64(text: string): [number, number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2_654_435_761);
    b = Math.imul(b ^ unit, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return [a >>> 0, b >>> 0];
}

/** The ids of a manifest in order: found by id within 24 bytes and the id's own, so that a million rows fit. */
export interface IdBook {
  /** An empty id is kept as a place that nothing finds. */
  add(index: number, id: string): void;
  find(id: string): number | undefined;
  /** The ids at some indices, by one walk over all. */
  named(indices: readonly number[]): Map<number, string>;
  all(): Iterable<string>;
}

const CHUNK_CHARACTERS = 1 << 20;

export function createIdBook(): IdBook {
  const places = createLineIndex();
  const full: Buffer[] = [];
  let ids: string[] = [];
  let characters = 0;

  function* all(): Iterable<string> {
    for (const chunk of full) yield* chunk.toString('utf8').split('\n');
    yield* ids;
  }

  return {
    add(index, id) {
      // A name that breaks the rule cannot be referred to.
      const kept = id.includes('\n') || id.length > 200 ? '' : id;
      if (kept !== '') places.add(kept, index + 1);
      ids.push(kept);
      characters += kept.length + 1;
      if (characters < CHUNK_CHARACTERS) return;
      full.push(Buffer.from(ids.join('\n')));
      ids = [];
      characters = 0;
    },
    find(id) {
      const place = places.find(id);
      return place === undefined ? undefined : place - 1;
    },
    named(indices) {
      const names = new Map(indices.map((index) => [index, '']));
      let at = 0;
      for (const id of all()) {
        if (names.has(at)) names.set(at, id);
        at += 1;
      }
      return names;
    },
    all,
  };
}
