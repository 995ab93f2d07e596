/** Whatever happens to the bytes of an answer, its reading is right or says unreadable, and never throws. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, Output } from '../../src/domain/exchange.js';
import type { Json } from '../../src/domain/json.js';
import type { Kind } from '../../src/domain/kind.js';
import { creditsFromNumber } from '../../src/domain/money.js';
import type { Adapter, AsyncAdapter } from '../../src/kinds/adapter.js';
import { KINDS } from '../../src/kinds/facts.js';
import { adapterFor } from '../../src/kinds/index.js';
import { readCredits, readDiscounts, readVoices } from '../../src/service/account.js';
import { readError } from '../../src/service/errors.js';
import { type Sample, sampleOf } from '../vendors/samples.js';
import { type AsyncPlaces, parsed, placesOf, valuesAt } from './documented-places.js';
import { changes, mutate, replaceAt } from './mutations.js';
import { IS_KEPT, propertyRuns, SEED } from './property-runs.js';

const RUNS = propertyRuns(500);
const TIMEOUT_MS = 20_000 + RUNS * 10;
const everyKind = KINDS.map((kind): [Kind, Adapter, Sample] => [kind, adapterFor(kind), sampleOf(kind)]);
const asynchronous = everyKind.flatMap(([kind, adapter, { poll }]): [Kind, AsyncAdapter, AsyncPlaces, Json[]][] => {
  const places = placesOf(kind);
  if (adapter.flow !== 'async' || places.flow !== 'async' || poll === undefined) return [];
  const ended = [...poll.succeeded, ...poll.failed].map(({ answer }) => answer);
  return [[kind, adapter, places, [...ended, ...poll.running, ...poll.withoutUrl]]];
});

function answerOf(body: Uint8Array, status = 200): Answer {
  return { status, contentType: 'application/json', retryAfter: undefined, body };
}

/** Plays the mutations of these answers; `look` gives the name of the reading, once it is found right. */
function play(name: string, answers: readonly Json[], look: (body: Uint8Array) => string): void {
  const counts = new Map<string, number>();
  const tally = (body: Uint8Array): void => {
    const reading = look(body);
    counts.set(reading, (counts.get(reading) ?? 0) + 1);
  };
  const bytes = fc.tuple(fc.constantFrom(...answers), changes).map(([answer, made]) => {
    return mutate(Buffer.from(JSON.stringify(answer)), made);
  });
  const values = fc.tuple(fc.constantFrom(...answers), fc.nat(40), fc.jsonValue()).map(([answer, place, value]) => {
    return Buffer.from(JSON.stringify(replaceAt(answer, place, value as Json)));
  });
  fc.assert(fc.property(bytes, tally), { numRuns: RUNS, seed: SEED });
  fc.assert(fc.property(values, tally), { numRuns: RUNS, seed: SEED });
  expect(counts.size, 'the mutations must reach more than one reading').toBeGreaterThan(1);
  if (IS_KEPT) console.info(`${name}: ${[...counts].map(([reading, count]) => `${count} ${reading}`).join(', ')}`);
}

describe(`a mutated answer is read right or called unreadable (seed ${SEED}, ${RUNS} of each mutation)`, () => {
  it.each(everyKind)(
    '%s: the submit',
    (kind, adapter, sample) => play(`${kind} submit`, [sample.submitAnswer], (body) => lookAtSubmit(adapter, body)),
    TIMEOUT_MS,
  );

  it.each(asynchronous)(
    '%s: the poll',
    (kind, adapter, places, answers) => play(`${kind} poll`, answers, (body) => lookAtPoll(adapter, places, body)),
    TIMEOUT_MS,
  );

  it('credits', () => play('credits', [CREDITS], lookAtCredits), TIMEOUT_MS);
  it('discounts', () => play('discounts', [DISCOUNTS], lookAtDiscounts), TIMEOUT_MS);
  it('voices', () => play('voices', [VOICES], lookAtVoices), TIMEOUT_MS);
  it('errors', () => play('errors', ERRORS, lookAtError), TIMEOUT_MS);
});

describe('values nested twenty thousand deep are read like any other', () => {
  const deep = `${'{"a":['.repeat(10_000)}1${']}'.repeat(10_000)}`;

  it.each(everyKind)('%s', (kind, adapter, { submitAnswer }) => {
    const polls = asynchronous.find(([of]) => of === kind);
    for (let place = 0; place < 14; place += 1) {
      lookAtSubmit(adapter, withDeep(submitAnswer, place));
      for (const answer of polls?.[3] ?? []) if (polls) lookAtPoll(polls[1], polls[2], withDeep(answer, place));
    }
  });

  const withDeep = (answer: Json, place: number): Uint8Array =>
    Buffer.from(JSON.stringify(replaceAt(answer, place, '@deep@')).replace('"@deep@"', deep));
});

/** What a submit's reading claims must stand in the answer, in the documented place. */
function lookAtSubmit(adapter: Adapter, body: Uint8Array): string {
  const read = adapter.readSubmit(answerOf(body));
  const value = parsed(body);
  const places = placesOf(adapter.kind);
  const salvaged = adapter.flow === 'async' ? adapter.salvageHandle(body, true) : undefined;
  switch (read.reading) {
    case 'created':
      if (places.flow !== 'async') throw new Error('a synchronous call gives no handle');
      expect(valuesAt(value, places.handle)).toEqual([read.handle]);
      expect(read.handle.trim()).not.toBe('');
      // A name that comes twice is read one way by a parser and another by who reads along: both are the body's own.
      if (salvaged !== undefined) expect(Buffer.from(body).toString()).toContain(JSON.stringify(salvaged).slice(1, -1));
      break;
    case 'done':
      if (places.flow === 'async') throw new Error('an asynchronous submit gives no output');
      if (places.flow === 'whole') expect(read.outputs).toEqual([{ base64: Buffer.from(body).toString('base64') }]);
      else expectOutputs(read.outputs, value, places.urls, places.bytes);
      break;
    case 'refused':
      expect(adapter.kind).toMatch(/^vendor-a/);
      expect(valuesAt(value, 'code').map(String)).toEqual([read.code]);
      expect(read.code).not.toBe('0');
      break;
    case 'unreadable':
      expect(read.why).toMatch(/./);
  }
  return read.reading;
}

function lookAtPoll(adapter: AsyncAdapter, places: AsyncPlaces, body: Uint8Array): string {
  const read = adapter.readPoll(answerOf(body));
  const value = parsed(body);
  const [word = null] = valuesAt(value, places.status);
  switch (read.reading) {
    case 'succeeded':
      // Where the documents list the words, an output outdoes one that is not listed.
      if (/^vendor-[bf]/.test(adapter.kind)) expect(places.ended.succeeded).toContain(word);
      else expect([typeof word, isOneOf(places.ended.failed, word)]).toEqual(['string', false]);
      expectOutputs(read.outputs, value, places.urls, 'nowhere');
      expect(read.facts.billedSeconds).toEqual(numberAt(value, places.billedSeconds, read.facts.billedSeconds));
      expect(read.facts.billedTokens).toEqual(numberAt(value, places.billedTokens, read.facts.billedTokens));
      if (read.facts.usage !== undefined) expect(valuesAt(value, places.usage ?? '')).toEqual([read.facts.usage]);
      break;
    case 'failed':
      expect(isOneOf(places.ended.failed, word)).toBe(true);
      expect(read.message.length).toBeLessThanOrEqual(500);
      break;
    case 'running':
      // A word that ends a job is never taken for a running one, and no word that is known is called unknown.
      // Compared by identity: what stands there may nest too deep to be printed.
      expect([...places.ended.succeeded, ...places.ended.failed].some((ended) => ended === word)).toBe(false);
      expect(value).toBeDefined();
      break;
    case 'unreadable':
      expect(read.why).toMatch(/./);
  }
  return read.reading;
}

/** In any case, however "cancelled" is spelt. */
function isOneOf(words: readonly Json[], word: Json): boolean {
  const plain = (one: Json) => (typeof one === 'string' ? one.toLowerCase().replace('canceled', 'cancelled') : one);
  return words.some((one) => plain(one) === plain(word));
}

/** Every output stands in the answer, in its order, and nothing that stands there is left out. */
function expectOutputs(outputs: readonly Output[], value: Json | undefined, urls: string, bytes: string): void {
  const filled = (place: string) => valuesAt(value, place).filter((one) => typeof one === 'string' && one !== '');
  expect(outputs.length).toBeGreaterThan(0);
  expect(outputs.flatMap(({ url }) => url ?? [])).toEqual(filled(urls));
  for (const { base64 } of outputs) if (base64 !== undefined) expect(filled(bytes)).toContain(base64);
}

/** The number that stands at the place, as a number or as the text of one; undefined where the reading has none. */
function numberAt(value: Json | undefined, place: string | undefined, read: number | undefined): number | undefined {
  if (read === undefined || place === undefined) return undefined;
  return Number(valuesAt(value, place)[0]);
}

const CREDITS: Json = { credits_remaining: 41.25, plan_level: 'pro', rpm_limit: 200, concurrent_limit: 10 };
const DISCOUNTS: Json = {
  discounts: [
    { entrypoint: 'svc', multiplier: 0.8, effective_from: '2026-01-01T00:00:00+02:00', effective_to: null },
    {
      entrypoint: 'vendor-a',
      multiplier: 0.5,
      effective_from: '2026-01-01T00:00:00Z',
      effective_to: '2026-12-01T00:00:00Z',
    },
  ],
};
const VOICES: Json = {
  data: {
    voices: [
      { voice_id: 'v-1', language: 'English', gender: 'female' },
      { voice_id: 'v-2', language: 'Japanese', gender: 'male' },
    ],
  },
};
const ERRORS: Json[] = [
  {
    error: {
      code: 'insufficient_credits',
      message: 'no',
      request_id: 'r',
      details: { credits_required: 2.5, credits_balance: 1 },
    },
  },
  { error: { code: 'insufficient_credits', message: 'no', request_id: 'r', creditsRequired: 2.5, creditsBalance: 1 } },
  { detail: 'width and height go together' },
  { detail: { code: 'model_not_available', message: 'no', model: 'svc-delta-4', entrypoint: 'svc' } },
  { detail: 'oops', error: { code: 'engine_timeout', message: 'too slow' } },
  { code: 'InvalidParameter', message: 'no', request_id: 'r' },
  { error: { code: 'invalid_parameter', message: 'cannot fetch', doc_url: 'https://docs.example/x' } },
];

function lookAtCredits(body: Uint8Array): string {
  const read = readCredits(answerOf(body));
  if (read.reading === 'unreadable') return read.reading;
  const value = parsed(body);
  const [remaining, rpm, concurrent] = ['credits_remaining', 'rpm_limit', 'concurrent_limit'].map(
    (place) => valuesAt(value, place)[0],
  );
  expect([typeof remaining, typeof rpm, typeof concurrent]).toEqual(['number', 'number', 'number']);
  expect(read.value.creditsRemainingNano).toBe(creditsFromNumber(Number(remaining)));
  expect([read.value.rpmLimit, read.value.concurrentLimit]).toEqual([
    Math.floor(Number(rpm)),
    Math.floor(Number(concurrent)),
  ]);
  expect(Math.min(read.value.rpmLimit, read.value.concurrentLimit)).toBeGreaterThanOrEqual(1);
  return read.reading;
}

function lookAtDiscounts(body: Uint8Array): string {
  const read = readDiscounts(answerOf(body));
  if (read.reading === 'unreadable') return read.reading;
  const rows = valuesAt(parsed(body), 'discounts.*');
  expect(read.value).toHaveLength(rows.length);
  for (const [at, { entrypoint, multiplierPpb, effectiveFromMs, effectiveToMs }] of read.value.entries()) {
    const row = rows[at];
    const of = (place: string): Json => valuesAt(row, place)[0] ?? null;
    expect(entrypoint).toBe(of('entrypoint'));
    expect(multiplierPpb).toBe(Math.round(Number(of('multiplier')) * 1e9));
    expect(effectiveFromMs).toBe(Date.parse(String(of('effective_from'))));
    const until = of('effective_to');
    expect(effectiveToMs).toBe(until === null ? null : Date.parse(String(until)));
  }
  return read.reading;
}

function lookAtVoices(body: Uint8Array): string {
  const read = readVoices(answerOf(body));
  if (read.reading === 'unreadable') return read.reading;
  const ids = valuesAt(parsed(body), 'data.voices.*.voice_id').filter((id) => typeof id === 'string' && id !== '');
  expect(read.value.map(({ voiceId }) => voiceId)).toEqual(ids);
  return read.reading;
}

function lookAtError(body: Uint8Array): string {
  const read = readError(answerOf(body, 402));
  if (read === undefined) return 'unreadable';
  const value = parsed(body);
  const codes = ['error.code', 'detail.code', 'code'].flatMap((place) => valuesAt(value, place)).map(String);
  if (read.code !== undefined) expect(codes.map(plain)).toContain(plain(read.code));
  expect(read.message.length).toBeLessThanOrEqual(500);
  const amounts = [
    'error.details.*',
    'error.details.credits_required',
    'details.credits_required',
    'error.creditsRequired',
  ];
  const required = amounts.flatMap((place) => valuesAt(value, place));
  if (read.creditsRequired !== undefined) expect(required).toContain(read.creditsRequired);
  return 'an error';
}

/** A code is shown without control characters and cut: what is left of both must agree. */
function plain(code: string): string {
  return code.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 20);
}
