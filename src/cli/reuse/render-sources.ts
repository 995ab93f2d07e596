/** Where a row's earlier render is. */
export interface RenderSource {
  batch: string;
  id: string;
}

/** Which earlier render each row has, by the row's index; a million fit. */
export interface RenderSources {
  set(index: number, source: RenderSource): void;
  get(index: number): RenderSource | undefined;
  count(): number;
}

export function createRenderSources(): RenderSources {
  const batches: string[] = [];
  const numbers = new Map<string, number>();
  const batchOf: number[] = [];
  const ids: string[] = [];
  let count = 0;
  return {
    set(index, { batch, id }) {
      const number = numbers.get(batch) ?? batches.push(batch) - 1;
      numbers.set(batch, number);
      batchOf[index] = number;
      ids[index] = id;
      count += 1;
    },
    get(index) {
      const id = ids[index];
      const batch = batches[batchOf[index] ?? -1];
      return id === undefined || batch === undefined ? undefined : { batch, id };
    },
    count: () => count,
  };
}
