import { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import type { Kind } from '../domain/kind.js';
import type { CreditsNano, CreditsRange } from '../domain/money.js';
import { kindSchema, nanoSchema, timeSchema } from './attempt-schema.js';
import { homeKeys } from './home-keys.js';
import { encodeJson, readJson } from './json-file.js';
import { parallel } from './parallel.js';
import type { Store } from './port.js';

/** What ended attempts cost and when, which the credits check takes off the drop of the balance. */

/** One ended attempt: between `chargedFromMs` and `chargedToMs` the balance fell by `lo` to `hi` nanocredits. */
export interface Charge extends AttemptRef, CreditsRange {
  kind: Kind;
  chargedFromMs: number;
  chargedToMs: number;
  /** The most that was charged in between: a reservation may be refunded. Null = without bound. */
  peak: CreditsNano | null;
}

export interface ChargeBook {
  /** Enters a charge; the first entry of an attempt in its ten minutes stands, a second one is not made. */
  append(charge: Charge): Promise<void>;
  /** Charges that may have fallen at or after `sinceMs`, each attempt once (its earliest), oldest first. */
  since(sinceMs: number): Promise<Charge[]>;
}

const READ_WIDTH = 16;

const chargeSchema: z.ZodType<Charge> = z.object({
  batch: z.string(),
  id: z.string(),
  n: z.int(),
  kind: kindSchema,
  chargedFromMs: timeSchema,
  chargedToMs: timeSchema,
  lo: nanoSchema,
  hi: nanoSchema.nullable(),
  peak: nanoSchema.nullable(),
});

export function createChargeBook(store: Store, account: string): ChargeBook {
  const keys = homeKeys(account);
  return {
    append: async (charge) => {
      await store.putIfAbsent(keys.charge(charge, charge.chargedToMs), encodeJson(charge));
    },
    since: async (sinceMs) => {
      const first = keys.bookBucket(Math.max(0, Math.floor(sinceMs)));
      const found: string[] = [];
      for (const bucket of await store.names(keys.books)) {
        const prefix = `${keys.books}/${bucket}`;
        if (prefix < first) continue;
        for await (const key of store.list(prefix)) found.push(key);
      }
      const charges = await parallel(found, READ_WIDTH, (key) => readJson(store, key, chargeSchema));
      const known = new Map<string, Charge>();
      for (const charge of charges) {
        if (charge === undefined || charge.chargedToMs < sinceMs) continue;
        const name = `${charge.batch}/${charge.id}/${charge.n}`;
        if (!known.has(name)) known.set(name, charge);
      }
      return [...known.values()].sort((a, b) => a.chargedToMs - b.chargedToMs);
    },
  };
}
