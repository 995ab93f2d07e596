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
    const edits = letters(typed) === letters(wanted) ? Math.min(1, distance(typed, wanted)) : distance(typed, wanted);
    if (edits < distanceMin) {
      distanceMin = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Letters in the wrong order are one slip: `modle` is `model`. */
function letters(word: string): string {
  return [...word].sort().join('');
}

/** Case, blanks and the choice of `-` or `_` are no difference. */
function plain(word: string): string {
  return word.trim().toLowerCase().replace(/[\s-]/g, '_');
}
