const DECIMALS_MAX = 6;

/** A number rounded for people, to more than `decimals` where that is needed to tell it from the limit beside it. */
export function shownNumber(value: number, limit: number, decimals: number): number {
  let enough = decimals;
  while (enough < DECIMALS_MAX && value !== limit && value.toFixed(enough) === limit.toFixed(enough)) enough += 1;
  return Number(value.toFixed(enough));
}

/** `31.2 MB`, told apart from the limit beside it; megabytes are millions of bytes, the stricter reading of the documents. */
export function megabytes(bytes: number, limit: number): string {
  const value = bytes / 1e6;
  return `${shownNumber(value, limit / 1e6, value < 0.1 ? 3 : 1)} MB`;
}
