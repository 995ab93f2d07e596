import { type PutStreamOptions, StoreError, segmentsOf } from './port.js';

const NAMES_MAX = 999;

/** The store gives a key to nobody, though no file has it. */
export const REFUSED = 'refused';
export type Refused = typeof REFUSED;

/**
 * Gives a finished file the first key that it can have, as `PutStreamOptions` says; `take` gives undefined where another
 * file has the key.
 */
export async function takeKey<Taken extends object>(
  key: string,
  { nextKey, spareKey }: Pick<PutStreamOptions, 'nextKey' | 'spareKey'>,
  take: (candidate: string, name: string) => Promise<Taken | Refused | undefined>,
): Promise<Taken & { key: string }> {
  const above = key.slice(0, key.lastIndexOf('/') + 1);
  let candidate = key;
  for (let n = 2; ; n += 1) {
    const name = segmentsOf(candidate).at(-1) ?? '';
    if (candidate !== `${above}${name}`) {
      throw new StoreError('BAD_KEY', `the other name '${candidate}' is not in the folder of '${key}'`, candidate);
    }
    const taken = await take(candidate, name);
    if (taken !== undefined && taken !== REFUSED) return { ...taken, key: candidate };
    const next = nextKey ?? (taken === REFUSED ? spareKey : undefined);
    if (next === undefined || n > NAMES_MAX) {
      throw new StoreError('EEXIST', `'${candidate}' exists with other bytes and is kept as it is`, candidate);
    }
    candidate = next(n);
  }
}
