import type { z } from 'zod';
import { encodeAs, forgotten, readJson, type WhenDamaged } from '../store/json-file.js';
import type { HomeKeys, HomePlace } from './home-keys.js';
import { type Change, changeInTurn } from './in-turn.js';

/** One sort of small document in a home: where it lies, what it looks like, and what a damaged one is taken for. */
export interface HomeDocument<T, Place extends unknown[]> {
  schema: z.ZodType<T>;
  /** Undefined where it is absent, or damaged and taken for absent. */
  read(home: HomePlace, ...place: Place): Promise<T | undefined>;
  /** Writes or replaces it, checked as reading will check it. */
  write(home: HomePlace, value: T, ...place: Place): Promise<void>;
  /** Changes it as it stands: what others change at the same time stays. As `changeInTurn`. */
  change(home: HomePlace, next: Change<T>['next'], ...place: Place): Promise<T | undefined>;
  remove(home: HomePlace, ...place: Place): Promise<void>;
}

/** `whenDamaged` says the worst that it could have said; without it a damaged one counts as absent. */
export function document<T, Place extends unknown[]>(
  schema: z.ZodType<T>,
  keyOf: (keys: HomeKeys, ...place: Place) => string,
  whenDamaged: WhenDamaged<T> = forgotten,
): HomeDocument<T, Place> {
  const read = ({ store, keys }: HomePlace, ...place: Place) =>
    readJson(store, keyOf(keys, ...place), schema, whenDamaged);
  const write = ({ store, keys }: HomePlace, value: T, ...place: Place) =>
    store.put(keyOf(keys, ...place), encodeAs(schema, value));
  return {
    schema,
    read,
    write,
    change: (home, next, ...place) =>
      changeInTurn(home, keyOf(home.keys, ...place), {
        read: () => read(home, ...place),
        next,
        write: (value) => write(home, value, ...place),
      }),
    remove: ({ store, keys }, ...place) => store.remove(keyOf(keys, ...place)),
  };
}
