import type { z } from 'zod';
import { encodeAs, forgotten, readJson, type WhenDamaged } from '../store/json-file.js';
import type { HomeKeys, HomePlace } from './home-keys.js';

/** One sort of small document in a home: where it lies, what it looks like, and what a damaged one is taken for. */
export interface HomeDocument<T, Place extends unknown[]> {
  schema: z.ZodType<T>;
  /** Undefined where it is absent, or damaged and taken for absent. */
  read(home: HomePlace, ...place: Place): Promise<T | undefined>;
  /** Writes or replaces it, checked as reading will check it. */
  write(home: HomePlace, value: T, ...place: Place): Promise<void>;
  remove(home: HomePlace, ...place: Place): Promise<void>;
}

/** `whenDamaged` says the worst that it could have said; without it a damaged one counts as absent. */
export function document<T, Place extends unknown[]>(
  schema: z.ZodType<T>,
  keyOf: (keys: HomeKeys, ...place: Place) => string,
  whenDamaged: WhenDamaged<T> = forgotten,
): HomeDocument<T, Place> {
  return {
    schema,
    read: ({ store, keys }, ...place) => readJson(store, keyOf(keys, ...place), schema, whenDamaged),
    write: ({ store, keys }, value, ...place) => store.put(keyOf(keys, ...place), encodeAs(schema, value)),
    remove: ({ store, keys }, ...place) => store.remove(keyOf(keys, ...place)),
  };
}
