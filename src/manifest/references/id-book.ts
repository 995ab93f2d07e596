import { createLineIndex } from '../line-index.js';

/** The ids of a manifest in order: found by id within 24 bytes and the id's own, so that a million rows fit. */
export interface IdBook {
  /** An empty id is kept as a place that nothing finds. */
  add(index: number, id: string): void;
  find(id: string): number | undefined;
  /** The id at an index, by a walk over all. */
  at(index: number): string;
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
    at(index) {
      let at = 0;
      for (const id of all()) if (at++ === index) return id;
      return '';
    },
    all,
  };
}
