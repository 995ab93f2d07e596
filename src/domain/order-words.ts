/** Commands that a person types next, after `callsheet`. */

/** The whole command for such words, with the flags that say where to look. */
export type Hint = (words: string) => string;

/** Names of a batch and its rows as a command takes them: one that begins with a dash is no flag. */
export function nameWords(...names: string[]): string {
  return [...(names.some((name) => name.startsWith('-')) ? ['--'] : []), ...names].join(' ');
}

/** An order for a whole batch: a flag of its own stands before a name that begins with a dash. */
export function orderWords(order: string, batch: string, flag = ''): string {
  const own = flag === '' ? [] : [flag];
  return (batch.startsWith('-') ? [order, ...own, nameWords(batch)] : [order, batch, ...own]).join(' ');
}
