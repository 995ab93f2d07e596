import { distance } from 'fastest-levenshtein';

const DISTANCE_MAX = 3;

/** The known word nearest to a mistyped one, if any is near: `prompt` for `promt`. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > 64) return undefined;
  const typed = plain(word);
  let nearest: string | undefined;
  let distanceMin = Math.min(DISTANCE_MAX, Math.floor(typed.length / 2)) + 1;
  for (const candidate of known) {
    const wanted = plain(candidate);
    const edits = Math.min(distance(typed, wanted), isShuffled(typed, wanted) ? 1 : DISTANCE_MAX + 1);
    if (edits < distanceMin) {
      distanceMin = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Letters in the wrong order are one slip: `modle` is `model`. */
function isShuffled(a: string, b: string): boolean {
  const letters = (word: string): string => [...word].sort().join('');
  return a.length === b.length && letters(a) === letters(b);
}

/** Case, blanks and the choice of `-` or `_` are no difference. */
function plain(word: string): string {
  return word.trim().toLowerCase().replace(/[\s-]/g, '_');
}
