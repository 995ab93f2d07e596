import { z } from 'zod';
import { parseFailureLimit } from '../domain/batch.js';
import type { Kind } from '../domain/kind.js';
import { type CreditsNano, parseCredits } from '../domain/money.js';
import { PRICE_UNITS } from '../domain/price.js';
import { S3_ENCRYPTIONS, S3_STORAGE_CLASSES } from '../domain/s3.js';
import { KINDS } from '../kinds/facts.js';

/** What every setting may hold. Amounts are decimal credits in the file and nanocredits from here on. */

const FAILURES_WISH = 'must be a number of rows such as 5, or percent such as 10%';

const decimal = (value: string | number): CreditsNano | undefined =>
  parseCredits(typeof value === 'number' ? String(value) : value);

/** An amount of at least `least` nanocredits; a number or a decimal string. */
function amount(least: CreditsNano, wish: string) {
  return z.union([z.string(), z.number()], { error: wish }).transform((value, context): CreditsNano => {
    const nano = decimal(value);
    if (nano !== undefined && nano >= least) return nano;
    context.addIssue({ code: 'custom', message: wish });
    return z.NEVER;
  });
}

const notNegative = amount(0, 'must be credits as a plain decimal of 0 or more, such as 2.5');
const MAX_CREDITS =
  'must be a positive number of credits, such as 40 or 2.5; with 0.000001 a batch runs only where every row is done or reused';
const seconds = (most: number) => bounded(z.number(), 0, most, 'seconds');
const positiveInteger = (most: number) => bounded(z.int(), 1, most, 'a whole number');
const word = z.string({ error: 'must be a text' }).min(1, { error: 'must not be empty' });

function bounded<Schema extends z.ZodNumber>(schema: Schema, least: number, most: number, what: string) {
  const error = `must be ${what} from ${least} to ${most}`;
  return z.unknown().transform((value, context): number => {
    const { data } = schema.safeParse(value);
    if (data !== undefined && data >= least && data <= most) return data;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
}

const failureLimit = z.union([z.string(), z.number()], { error: FAILURES_WISH }).transform((value, context) => {
  const limit = parseFailureLimit(String(value));
  if (limit !== undefined) return limit;
  context.addIssue({ code: 'custom', message: FAILURES_WISH });
  return z.NEVER;
});

const flag = z.boolean({ error: 'must be true or false' });

function choice<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.enum(choices, { error: `must be one of ${choices.join(', ')}` });
}

const priceAmount = z
  .string({ error: 'must be a decimal string, such as "0.0006"' })
  .refine((text) => (parseCredits(text) ?? -1) >= 0, { error: 'must be a decimal string, such as "0.0006"' });

const count = z.number({ error: 'must be a number' }).min(0, { error: 'must be 0 or more' });

const priceComponent = z.strictObject({
  unit: choice(PRICE_UNITS),
  credits: priceAmount,
  above: count.exactOptional(),
  upTo: count.exactOptional(),
});

const priceRule = z.strictObject({
  kind: z.enum(KINDS, { error: 'must be a kind; `callsheet kinds` lists them' }).exactOptional(),
  model: word.exactOptional(),
  tier: word.exactOptional(),
  steps: positiveInteger(50).exactOptional(),
  resolution: word.exactOptional(),
  mode: word.exactOptional(),
  audio: flag.exactOptional(),
  sound: word.exactOptional(),
  components: z
    .array(priceComponent, { error: 'must be a list of components' })
    .min(1, { error: 'must have at least one component: without any, the price would be 0' }),
});

const providers = [...new Set(KINDS.map((kind: Kind) => kind.slice(0, kind.indexOf('/')))), 'default'];

const renderMax = z
  .record(z.string(), seconds(7 * 86_400), { error: 'must be seconds by provider, such as {"default":3600}' })
  .superRefine((byProvider, context) => {
    for (const name of Object.keys(byProvider)) {
      if (providers.includes(name)) continue;
      const message = `'${name}' is no provider; known: ${providers.join(', ')}`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  });

/** The shape of `callsheet.config.json`; every field may be left out. */
export const configSchema = z.strictObject({
  baseUrl: word.exactOptional(),
  userAgent: word.regex(/^[\x20-\x7e]+$/, { error: 'must be visible ASCII' }).exactOptional(),
  out: word.exactOptional(),
  data: word.exactOptional(),
  home: word.exactOptional(),
  account: z.strictObject({ name: word.exactOptional(), exclusive: flag.exactOptional() }).exactOptional(),
  ambiguity: choice(['hold', 'if-proved', 'always']).exactOptional(),
  alwaysMaxWaste: notNegative.exactOptional(),
  sync: z.strictObject({ maxWaste: notNegative.exactOptional() }).exactOptional(),
  waits: z
    .strictObject({
      lambdaSeconds: seconds(86_400).exactOptional(),
      thetaSeconds: seconds(86_400).exactOptional(),
      syncMaxSeconds: bounded(z.number(), 1, 86_400, 'seconds').exactOptional(),
      rhoSeconds: seconds(86_400).exactOptional(),
      renderMaxSeconds: renderMax.exactOptional(),
    })
    .exactOptional(),
  limits: z
    .strictObject({
      concurrency: positiveInteger(10_000).exactOptional(),
      rpm: positiveInteger(1_000_000).exactOptional(),
    })
    .exactOptional(),
  budget: z
    .strictObject({
      maxCredits: amount(1, MAX_CREDITS).exactOptional(),
      askAbove: notNegative.exactOptional(),
      maxFailures: failureLimit.exactOptional(),
      waitMinutes: bounded(z.number(), 0, 525_600, 'minutes').exactOptional(),
    })
    .exactOptional(),
  prices: z.array(priceRule, { error: 'must be a list of price rules' }).exactOptional(),
  names: z
    .strictObject({
      template: word.exactOptional(),
      onExists: choice(['fail', 'skip', 'version']).exactOptional(),
      sidecar: flag.exactOptional(),
    })
    .exactOptional(),
  svc: z.strictObject({ aliasPaths: flag.exactOptional() }).exactOptional(),
  s3: z
    .strictObject({
      endpoint: word
        .regex(/^https?:\/\/[^/\s@?#]+\/?$/, { error: 'must be https://host or http://host' })
        .exactOptional(),
      region: word.exactOptional(),
      forcePathStyle: flag.exactOptional(),
      serverSideEncryption: choice(S3_ENCRYPTIONS).exactOptional(),
      kmsKeyId: word.exactOptional(),
      storageClass: choice(S3_STORAGE_CLASSES).exactOptional(),
    })
    .exactOptional(),
  notify: z.array(word, { error: 'must be a list of URLs and `command:…`' }).exactOptional(),
  notifySecret: word.exactOptional(),
  callbacks: z.strictObject({ url: word.exactOptional(), listen: word.exactOptional() }).exactOptional(),
  temporal: z.strictObject({ address: word.exactOptional(), namespace: word.exactOptional() }).exactOptional(),
  timeScale: bounded(z.number(), 1, 100_000, 'a number').exactOptional(),
});

export type GivenSettings = z.output<typeof configSchema>;
