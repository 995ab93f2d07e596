import { z } from 'zod';
import { type FailureLimit, parseFailureLimit } from '../domain/batch.js';
import type { Kind } from '../domain/kind.js';
import { type CreditsNano, parseCredits } from '../domain/money.js';
import { PRICE_UNITS } from '../domain/price.js';
import { KINDS } from '../kinds/facts.js';

/** What settings may hold. Amounts are decimal credits in the file and nanocredits from here on. */

export const flag = z.boolean({ error: 'must be true or false' });
export const word = z.string({ error: 'must be a text' }).min(1, { error: 'must not be empty' });
export const visibleAscii = word.regex(/^[\x20-\x7e]+$/, { error: 'must be visible ASCII' });
export const serverUrl = word.regex(/^https?:\/\/[^/\s@?#]+\/?$/, { error: 'must be https://host or http://host' });

export function oneOf<const Choice extends string>(choices: readonly Choice[]): z.ZodType<Choice> {
  return z.enum(choices, { error: `must be one of ${choices.join(', ')}` });
}

export const number = (least: number, most: number, what: string) => bounded(z.number(), least, most, what);
export const wholeNumber = (least: number, most: number) => bounded(z.int(), least, most, 'a whole number');
export const credits = amount(0, 'must be credits as a plain decimal of 0 or more, such as 2.5');
export const maxCredits = amount(
  1,
  'must be a positive number of credits, such as 40 or 2.5',
  'with 0.000001 a batch runs only where every row is done or reused',
);
export const failureLimit = parsed<FailureLimit>(
  parseFailureLimit,
  'must be a number of rows such as 5, or percent such as 10%',
);

const providers = [...new Set(KINDS.map((kind: Kind) => kind.slice(0, kind.indexOf('/')))), 'default'];

export const renderMax = z
  .record(z.string(), number(0, 7 * 86_400, 'seconds'), {
    error: 'must be seconds by provider, such as {"default":3600}',
  })
  .superRefine((byProvider, context) => {
    for (const name of Object.keys(byProvider)) {
      if (providers.includes(name)) continue;
      const message = `'${name}' is no provider; known: ${providers.join(', ')}`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  });

const AMOUNT = 'must be a decimal string, such as "0.0006"';
/** A billionth of a credit is the smallest amount; to its writer a finer one looks like any other decimal. */
const TOO_FINE = 'with at most 9 decimals';

const priceAmount = z.string({ error: AMOUNT }).refine((text) => (parseCredits(text) ?? -1) >= 0, {
  error: ({ input }) => (isTooFine(input) ? `${AMOUNT}, ${TOO_FINE}` : AMOUNT),
});

function isTooFine(text: unknown): boolean {
  return typeof text === 'string' && /^\d+\.\d{10,}$/.test(text);
}

const count = z.number({ error: 'must be a number' }).min(0, { error: 'must be 0 or more' });

const priceComponent = z
  .strictObject({
    unit: oneOf(PRICE_UNITS),
    credits: priceAmount,
    above: count.exactOptional(),
    upTo: count.exactOptional(),
    atLeast: count.exactOptional(),
  })
  .refine(({ atLeast = 0, upTo = atLeast }) => atLeast <= upTo, {
    path: ['atLeast'],
    error: 'must not be more than `upTo`',
  });

const priceRule = z.strictObject({
  kind: z.enum(KINDS, { error: 'must be a kind; `callsheet kinds` lists them' }).exactOptional(),
  model: word.exactOptional(),
  tier: word.exactOptional(),
  steps: wholeNumber(1, 50).exactOptional(),
  resolution: word.exactOptional(),
  mode: word.exactOptional(),
  audio: flag.exactOptional(),
  sound: word.exactOptional(),
  components: z
    .array(priceComponent, { error: 'must be a list of components' })
    .min(1, { error: 'must have at least one component: without any, the price would be 0' }),
});

export const prices = z.array(priceRule, { error: 'must be a list of price rules' });
export const targets = z.array(
  z.string({ error: 'must be a text' }).min(1, { error: 'must not be empty: give a URL or `command:…`' }),
  { error: 'must be a list of URLs and `command:…`' },
);

/** An amount of at least `least` nanocredits, a number or a decimal string; `advice` is for whoever gave a lower one. */
function amount(least: CreditsNano, wish: string, advice?: string) {
  const read = (text: string) => {
    const nano = parseCredits(text);
    return nano === undefined || nano < least ? undefined : nano;
  };
  return parsed(read, wish, (text) => {
    const more = isTooFine(text) ? TOO_FINE : parseCredits(text) === undefined ? undefined : advice;
    return more === undefined ? wish : `${wish}; ${more}`;
  });
}

/** A number or a text that `parse` gives a value for; `wishOf` says what is wrong with a text that it gives none for. */
function parsed<Value>(parse: (text: string) => Value | undefined, wish: string, wishOf = (_text: string) => wish) {
  return z.union([z.string(), z.number()], { error: wish }).transform((value, context): Value => {
    const found = parse(String(value));
    if (found !== undefined) return found;
    context.addIssue({ code: 'custom', message: wishOf(String(value)) });
    return z.NEVER;
  });
}

function bounded<Schema extends z.ZodNumber>(schema: Schema, least: number, most: number, what: string) {
  const error = `must be ${what} from ${least} to ${most}`;
  return z.unknown().transform((value, context): number => {
    const { data } = schema.safeParse(value);
    if (data !== undefined && data >= least && data <= most) return data;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
}
