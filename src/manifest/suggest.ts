const DISTANCE_MAX = 3;

/** The known word nearest to a mistyped one, if any is near: `prompt` for `promt`. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > 64) return undefined;
  const typed = plain(word);
  let nearest: string | undefined;
  let distanceMin = Math.min(DISTANCE_MAX, Math.floor(typed.length / 2)) + 1;
  for (const candidate of known) {
    const distance = editDistance(typed, plain(candidate));
    if (distance < distanceMin) {
      distanceMin = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Case, blanks and the choice of `-` or `_` are no difference. */
function plain(word: string): string {
  return word.trim().toLowerCase().replace(/[\s-]/g, '_');
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? a.length;
}
