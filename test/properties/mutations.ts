import fc from 'fast-check';
import type { Json } from '../../src/domain/json.js';

/** What happens to bytes on the way: some are changed, put in, taken out, or everything after one is lost. */
interface Change {
  at: number;
  byte: number;
  how: 'set' | 'insert' | 'remove' | 'cut';
}

export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    at: fc.nat(600),
    // Mostly a character that JSON is made of, so that the result is often still JSON.
    byte: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('0189{}[]",:.-e\\u tfn '))),
    how: fc.constantFrom('set', 'insert', 'remove', 'cut'),
  }),
  { minLength: 1, maxLength: 4 },
);

export function mutate(bytes: Uint8Array, made: readonly Change[]): Uint8Array {
  const result = [...bytes];
  for (const { at, byte, how } of made) {
    const place = result.length === 0 ? 0 : at % result.length;
    if (how === 'cut') result.splice(place);
    else if (how === 'remove') result.splice(place, 1);
    else result.splice(place, how === 'set' ? 1 : 0, byte);
  }
  return Uint8Array.from(result);
}

/** Replaces the n-th value of an answer, counted in depth-first order. */
export function replaceAt(answer: Json, place: number, value: Json): Json {
  let count = 0;
  const visit = (node: Json): Json => {
    count += 1;
    if (count - 1 === place) return value;
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, visit(inner)]));
  };
  return visit(answer);
}
