import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/domain/exchange.js';
import {
  activeDiscount,
  CREDITS_REQUEST,
  DISCOUNTS_REQUEST,
  readCredits,
  readDiscounts,
  readVoices,
} from '../../src/service/account.js';

function answerOf(body: unknown, status = 200): Answer {
  return { status, contentType: undefined, retryAfter: undefined, body: Buffer.from(JSON.stringify(body) ?? '') };
}

const CREDITS = { credits_remaining: 24.75, plan_level: 'pro', rpm_limit: 200, concurrent_limit: 10 };

describe('credits (service document 1, Credit account)', () => {
  it('reads balance, plan and caps', () => {
    expect(CREDITS_REQUEST).toEqual({ method: 'GET', path: '/v1/credits' });
    expect(readCredits(answerOf(CREDITS))).toEqual({
      reading: 'ok',
      value: { creditsRemainingNano: 24_750_000_000, planLevel: 'pro', rpmLimit: 200, concurrentLimit: 10 },
    });
  });

  it('takes unknown fields, unknown plans, floats and debts', () => {
    const body = { ...CREDITS, plan_level: 'Galactic', credits_remaining: 0.1 + 0.2, more: { a: 1 } };
    expect(readCredits(answerOf(body))).toMatchObject({
      value: { creditsRemainingNano: 300_000_000, planLevel: 'Galactic' },
    });
    expect(readCredits(answerOf({ ...CREDITS, credits_remaining: -0.25, plan_level: null }))).toMatchObject({
      value: { creditsRemainingNano: -250_000_000, planLevel: 'unknown' },
    });
  });

  it.each([
    ['credits_remaining', null],
    ['credits_remaining', '24.75'],
    ['credits_remaining', 1e300],
    ['credits_remaining', undefined],
    ['rpm_limit', '200'],
    ['rpm_limit', 0],
    ['concurrent_limit', null],
  ])('%s = %j is unreadable and named (F28)', (field, value) => {
    expect(readCredits(answerOf({ ...CREDITS, [field]: value }))).toEqual({
      reading: 'unreadable',
      why: `${field} is missing or not as documented`,
    });
  });

  it('another status, HTML and nothing are unreadable', () => {
    expect(readCredits(answerOf(CREDITS, 500))).toMatchObject({ reading: 'unreadable', why: 'answered 500' });
    expect(readCredits({ ...answerOf(0), body: Buffer.from('<html>') })).toMatchObject({ reading: 'unreadable' });
    expect(readCredits({ ...answerOf(0), body: new Uint8Array() })).toMatchObject({ reading: 'unreadable' });
  });
});

describe('discounts (service document 1, Discount)', () => {
  const row = {
    entrypoint: 'svc',
    multiplier: 0.8,
    effective_from: '2026-01-01T00:00:00+00:00',
    effective_to: '2026-02-01T02:00:00.500000+02:00',
  };
  const fromMs = Date.UTC(2026, 0, 1);
  const toMs = Date.UTC(2026, 1, 1) + 500;

  it('reads windows with offsets, open ends and none at all', () => {
    expect(DISCOUNTS_REQUEST).toEqual({ method: 'GET', path: '/v1/discounts' });
    const rows = [row, { ...row, entrypoint: 'later-family', multiplier: 0.333, effective_to: null }];
    expect(readDiscounts(answerOf({ discounts: rows }))).toEqual({
      reading: 'ok',
      value: [
        { entrypoint: 'svc', multiplierPpb: 800_000_000, effectiveFromMs: fromMs, effectiveToMs: toMs },
        { entrypoint: 'later-family', multiplierPpb: 333_000_000, effectiveFromMs: fromMs, effectiveToMs: null },
      ],
    });
    expect(readDiscounts(answerOf({ discounts: [] }))).toEqual({ reading: 'ok', value: [] });
  });

  it.each([
    ['2026-01-01T00:00:00,5+00:00', 500],
    ['20260101T000000Z', 0],
    ['20260101T000000.25+0000', 250],
    ['2026-01-01T00Z', 0],
  ])('takes a time in every form of ISO 8601: %s', (from, ms) => {
    const read = readDiscounts(answerOf({ discounts: [{ ...row, effective_from: from }] }));
    expect(read).toMatchObject({ value: [{ effectiveFromMs: fromMs + ms }] });
  });

  it.each(['Z', '+00:00', '+0000', '+00', '-00:00'])('takes an offset in every form of ISO 8601: %s', (offset) => {
    const times = { effective_from: `2026-01-01T00:00:00${offset}`, effective_to: `2026-02-01T00:00:00.5${offset}` };
    const read = readDiscounts(answerOf({ discounts: [{ ...row, ...times }] }));
    expect(read).toMatchObject({ value: [{ effectiveFromMs: fromMs, effectiveToMs: toMs }] });
  });

  it('the start is inclusive, the end exclusive', () => {
    const discount = { entrypoint: 'svc', multiplierPpb: 1, effectiveFromMs: fromMs, effectiveToMs: toMs };
    const at = (atMs: number) => activeDiscount([discount], 'svc', atMs);
    expect([at(fromMs - 1), at(fromMs), at(toMs - 1), at(toMs)]).toEqual([undefined, discount, discount, undefined]);
    expect(activeDiscount([discount], 'other', fromMs)).toBeUndefined();
    expect(activeDiscount([{ ...discount, effectiveToMs: null }], 'svc', toMs * 2)).toBeDefined();
  });

  it.each([
    { multiplier: '0.8' },
    { multiplier: 0 },
    { multiplier: -1 },
    { effective_from: '2026-01-01' },
    { effective_from: '2026-01-01T00:00:00' },
    { effective_from: '2026-13-01T00:00:00Z' },
    { effective_from: null },
    { effective_to: 'never' },
    { entrypoint: null },
  ])('one row that cannot be believed makes all unreadable: %j', (change) => {
    expect(readDiscounts(answerOf({ discounts: [row, { ...row, ...change }] }))).toMatchObject({
      reading: 'unreadable',
    });
  });
});

describe('voices (service document 2, Avatar video job)', () => {
  it('reads what has an id', () => {
    const voices = [
      { voice_id: 'v1', language: 'English', gender: 'female', x: 1 },
      { voice_id: 'v2', gender: 7 },
      {},
      null,
    ];
    expect(readVoices(answerOf({ data: { voices } }))).toEqual({
      reading: 'ok',
      value: [{ voiceId: 'v1', language: 'English', gender: 'female' }, { voiceId: 'v2' }],
    });
    expect(readVoices(answerOf({ voices: [] }))).toMatchObject({ reading: 'unreadable' });
  });
});

it('no body makes an account reading throw', () => {
  const value = fc.jsonValue();
  const shapes = fc.oneof(
    value,
    fc.record({ credits_remaining: value, plan_level: value, rpm_limit: value, concurrent_limit: value }),
    fc.record({
      discounts: fc.array(
        fc.record({ entrypoint: value, multiplier: value, effective_from: value, effective_to: value }),
      ),
    }),
    fc.record({ data: fc.record({ voices: value }) }),
  );
  fc.assert(
    fc.property(shapes, (body) => {
      for (const read of [readCredits, readDiscounts, readVoices]) {
        expect(['ok', 'unreadable']).toContain(read(answerOf(body)).reading);
      }
    }),
    { numRuns: 1_000 },
  );
});
