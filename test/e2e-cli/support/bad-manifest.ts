// A manifest of bad rows below some good ones, and where each of them is told.

export interface BadManifest {
  columns: readonly string[];
  good: readonly Record<string, string>[];
  bad: readonly BadRow[];
}

export interface BadRow {
  code: string;
  what: string;
  cells: Record<string, string>;
  /** The column that the place names. */
  at: string;
  message: string | RegExp;
}

/** The text of the manifest: `bad-N` is the id where the id itself is not the point. */
export function badCsv({ columns, good, bad }: BadManifest): string {
  const rows = [...good, ...bad.map(({ cells }, at): Record<string, string> => ({ id: `bad-${at}`, ...cells }))];
  const lines = rows.map((row) => columns.map((name) => `"${(row[name] ?? '').replaceAll('"', '""')}"`).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

/** The line and the column at which the n-th bad row is told. */
export function placeOf({ columns, good, bad }: BadManifest, index: number): string {
  return `${index + good.length + 2}:${columns.indexOf(bad[index]?.at ?? '') + 1}`;
}
