/** Maps with at most `width` running at once; results keep the order of the items. The first failure is thrown. */
export async function parallel<In, Out>(
  items: readonly In[],
  width: number,
  run: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const results = new Array<Out>(items.length);
  const queue = items.entries();
  const worker = async () => {
    for (const [i, item] of queue) results[i] = await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}
