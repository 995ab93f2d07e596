/** What every adapter owes, whatever its family: service documents 1 and 2 as each kind's sample holds them. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/domain/exchange.js';
import type { Json } from '../../src/domain/json.js';
import { type Kind, providerOf } from '../../src/domain/kind.js';
import type { Adapter, AsyncAdapter } from '../../src/kinds/adapter.js';
import { answerMaxMs, KINDS } from '../../src/kinds/facts.js';
import { adapterFor } from '../../src/kinds/index.js';
import { readError } from '../../src/service/errors.js';
import { type PollSample, rowOf, type Sample, sampleOf } from './samples.js';

const RESPONSE = { responseFormat: 'url' } as const;
const HOUR_MS = 3_600_000;

function answerOf(body: Json | Uint8Array, status = 200): Answer {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
  return { status, contentType: 'application/json', retryAfter: undefined, body: bytes };
}

const asynchronous = KINDS.flatMap(
  (kind): [Kind, AsyncAdapter, Sample & Required<Pick<Sample, 'handle' | 'pollPath' | 'poll'>>][] => {
    const adapter = adapterFor(kind);
    const { handle, pollPath, poll, ...sample } = sampleOf(kind);
    if (adapter.flow !== 'async' || !handle || !pollPath || !poll) return [];
    return [[kind, adapter, { ...sample, handle, pollPath, poll }]];
  },
);
const everyKind = KINDS.map((kind): [Kind, Adapter, Sample] => [kind, adapterFor(kind), sampleOf(kind)]);

describe.each(everyKind)('%s: the submit', (kind, adapter, sample) => {
  const media = sample.media ?? {};

  it('is registered under its own kind', () => {
    expect(adapterFor(kind)).toBe(adapter);
    expect(adapter.kind).toBe(kind);
    expect(adapter.flow).toBe(sample.handle === undefined ? 'sync' : 'async');
  });

  it('posts plain JSON to the documented path, and leaves the row as it is', () => {
    const row = rowOf(kind, sample.cells);
    const before = structuredClone({ row, media });
    const request = adapter.submitRequest(row, media, RESPONSE);
    expect(request).toMatchObject({ method: 'POST', path: sample.submitPath });
    expect(JSON.parse(JSON.stringify(request.body))).toEqual(request.body);
    expect(adapter.submitRequest(row, media, RESPONSE)).toEqual(request);
    expect({ row, media }).toEqual(before);
  });

  it('merges extra last and deeply (every kind but the interaction)', () => {
    if (kind === 'vendor-f/interaction') return;
    const plain = adapter.submitRequest(rowOf(kind, sample.cells), media, RESPONSE).body;
    const extra = { unshown: { a: [1] }, parameters: { unshown: 1 }, extra: { unshown: true } };
    const merged = adapter.submitRequest(rowOf(kind, sample.cells, extra), media, RESPONSE).body;
    expect(merged).toEqual({
      ...plain,
      unshown: { a: [1] },
      parameters: { ...(plain?.parameters as object), unshown: 1 },
      extra: { ...(plain?.extra as object), unshown: true },
    });
  });

  it('never sends `n` or an undefined field', () => {
    const text = JSON.stringify(adapter.submitRequest(rowOf(kind, sample.cells), media, RESPONSE).body);
    expect(text).not.toMatch(/"n":|undefined/);
  });

  it('reads the documented answer', () => {
    const expected = sample.done ? { reading: 'done', ...sample.done } : { reading: 'created', handle: sample.handle };
    expect(adapter.readSubmit(answerOf(sample.submitAnswer))).toEqual(expected);
  });

  it.each([201, 202])('accepts %i with the documented body and says so (F15)', (status) => {
    const reading = adapter.readSubmit(answerOf(sample.submitAnswer, status));
    if (reading.reading === 'created') expect(reading.warning).toContain(String(status));
    else
      expect(reading).toMatchObject({ reading: 'done', facts: { warnings: [expect.stringContaining(`${status}`)] } });
  });

  it.each<[string, Json | Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['HTML', Buffer.from('<html><body>502 Bad Gateway</body></html>')],
    ['an empty object', {}],
    ['null', null],
    ['a string', 'done'],
    ['a list', [{}]],
    ['a number', 7],
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a cut body', Buffer.from('{"data":[{"url":"https://out.example/im')],
    [
      'a blank handle',
      { id: ' ', name: '', task_id: '', data: { video_id: ' ', task_id: '' }, output: { task_id: '' } },
    ],
    [
      'a handle of the wrong type',
      { name: 7, task_id: {}, data: { video_id: [], task_id: null }, output: { task_id: 1 } },
    ],
    ['another kind of answer', { data: {}, output: {}, task: {} }],
  ])('calls %s unreadable (F14)', (name, body) => {
    // The layout of an interaction's answer is not shown: any object with content is the answer.
    if (kind === 'vendor-f/interaction' && /handle|another/.test(name)) return;
    expect(adapter.readSubmit(answerOf(body)).reading).toBe('unreadable');
  });

  it('leaves the errors of the general contract to the general contract', () => {
    const general = { form: 'error', code: 'rpm_limit_exceeded', message: 'slow down', requestId: undefined } as const;
    expect(adapter.readRefusal(429, general)).toBeUndefined();
    expect(
      adapter.readRefusal(503, { ...general, code: undefined, message: 'temporarily unavailable' }),
    ).toBeUndefined();
  });
});

describe.each(asynchronous)('%s: the poll', (kind, adapter, { handle, pollPath, poll, submitAnswer, cells }) => {
  const read = (body: Json | Uint8Array) => adapter.readPoll(answerOf(body));

  it('asks the documented path, the handle verbatim', () => {
    expect(adapter.pollRequest(handle, rowOf(kind, cells))).toEqual({ method: 'GET', path: pollPath(handle) });
    const plain = "Az09-._~!$&'()*+,;=:@";
    expect(adapter.pollRequest(plain, rowOf(kind, cells)).path).toBe(pollPath(plain));
    const encoded = 'b2%2Fp%253D%3d%3D';
    expect(adapter.pollRequest(encoded, rowOf(kind, cells)).path).toBe(pollPath(encoded));
  });

  it('never asks the folder above', () => {
    const lastOf = (text: string) => adapter.pollRequest(text, rowOf(kind, cells)).path.slice(pollPath('').length);
    expect(['.', '..', '%2e.', '%2E%2e'].map(lastOf)).toEqual(['%2E', '%2E%2E', '%252e%2E', '%252E%252e']);
  });

  it('encodes what a path segment cannot hold, so that every handle arrives as it was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }), (odd) => {
        const { path } = adapter.pollRequest(odd, rowOf(kind, cells));
        const last = path.slice(pollPath('').length);
        expect(last).toMatch(/^[\x21-\x7e]+$/);
        expect(last).not.toMatch(/[/?#]/);
        fc.pre(!/%[0-9a-f]{2}/i.test(odd));
        expect(decodeURIComponent(last)).toBe(odd);
      }),
    );
  });

  it('reads every running word', () => {
    for (const answer of poll.running) expect(read(answer)).toMatchObject({ reading: 'running', known: true });
  });

  it('reads success with all its outputs and facts', () => {
    for (const { answer, outputs, facts } of poll.succeeded) {
      expect(read(answer)).toEqual({ reading: 'succeeded', outputs, facts });
    }
  });

  it('reads every word of failure with its reason (F39)', () => {
    for (const { answer, ...expected } of poll.failed) expect(read(answer)).toEqual({ reading: 'failed', ...expected });
  });

  it('reads an unknown word as running, whatever it is (F37)', () => {
    const known = new Set(knownWords(poll).map((word) => word.toLowerCase()));
    const words = fc.oneof(
      fc.string(),
      fc.constantFrom('constructor', '__proto__', 'toString', 'COMPLETED', 'Success'),
    );
    fc.assert(
      fc.property(words, (word) => {
        fc.pre(!known.has(word.toLowerCase()));
        expect(read(poll.withStatus(word))).toMatchObject({ reading: 'running', known: false });
      }),
    );
  });

  it.runIf(kind.startsWith('vendor-b') || kind.startsWith('vendor-f'))('takes no other word for an end (F37)', () => {
    const { answer } = poll.succeeded[0] ?? {};
    for (const [from, to] of [
      ['"completed"', '"Completed"'],
      ['"done":true', '"done":"true"'],
    ] as const) {
      const text = JSON.stringify(answer);
      if (text.includes(from)) expect(read(Buffer.from(text.replace(from, to)))).toMatchObject({ known: false });
    }
  });

  it.skipIf(kind.startsWith('vendor-b') || kind.startsWith('vendor-f'))(
    'reads the word of an end in any case, and with an output a word that is not listed (F37)',
    () => {
      const spelt = (answer: Json, word: string, as: string) =>
        read(Buffer.from(JSON.stringify(answer).replace(`us":"${word}"`, `us":"${as}"`)));
      for (const { answer, word, ...expected } of poll.failed) {
        for (const as of [word.toLowerCase(), word.toUpperCase()]) {
          expect(spelt(answer, word, as)).toEqual({ reading: 'failed', word, ...expected });
        }
        if (!/^cancell?ed$/i.test(word)) continue;
        for (const as of ['canceled', 'CANCELLED']) expect(spelt(answer, word, as)).toMatchObject({ word });
      }
      for (const { answer, outputs, facts } of poll.succeeded) {
        const [word = ''] = /succe\w+/i.exec(JSON.stringify(answer).replace('"message":"SUCCEED"', '')) ?? [];
        expect(spelt(answer, word, word.toUpperCase())).toEqual({ reading: 'succeeded', outputs, facts });
        const warning = "the status 'SUCCESS!' is not a documented one: with an output it is taken as success";
        const warnings = [...(facts.warnings ?? []), warning];
        expect(spelt(answer, word, 'SUCCESS!')).toEqual({
          reading: 'succeeded',
          outputs,
          facts: { ...facts, warnings },
        });
      }
    },
  );

  it('keeps an unknown word short and without control characters or keys', () => {
    const reading = read(poll.withStatus(`\u001b[31m sk-svc-secret ${'x'.repeat(10_000)}`));
    if (reading.reading !== 'running') throw new Error('expected running');
    expect(reading.word).not.toContain('\u001b');
    expect(reading.word).not.toContain('sk-svc-');
    expect(reading.word.length).toBeLessThanOrEqual(60);
  });

  it('calls a success without an output unreadable (F37)', () => {
    for (const answer of poll.withoutUrl) expect(read(answer).reading).toBe('unreadable');
  });

  it.each<[string, Json | Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['HTML', Buffer.from('<html></html>')],
    ['null', null],
    ['a list', []],
    ['a string', 'ok'],
  ])('calls %s unreadable (F36)', (_name, body) => {
    expect(read(body).reading).toBe('unreadable');
  });

  it('never ends a job on an answer without a status', () => {
    expect(['unreadable', 'running']).toContain(read({}).reading);
    expect(['unreadable', 'running']).toContain(read(poll.withStatus(null)).reading);
  });

  it('salvages a handle from a cut body only when it is whole (T9)', () => {
    const text = JSON.stringify(submitAnswer);
    const whole = text.indexOf(JSON.stringify(handle)) + JSON.stringify(handle).length;
    for (let length = 0; length <= text.length; length += 1) {
      const salvaged = adapter.salvageHandle(Buffer.from(text.slice(0, length)), true);
      expect(salvaged).toBe(length < whole ? undefined : handle);
    }
  });

  it('salvages the digits of a handle that is a number, as they stand in the text', () => {
    const digits = '44712345678901234561';
    const text = JSON.stringify(submitAnswer).replace(JSON.stringify(handle), digits);
    expect(adapter.readSubmit(answerOf(Buffer.from(text))).reading).toBe('unreadable');
    expect(adapter.salvageHandle(Buffer.from(text), true)).toBe(digits);
    const cut = text.slice(0, text.indexOf(digits) + digits.length);
    expect(adapter.salvageHandle(Buffer.from(cut), true)).toBeUndefined();
    for (const none of ['0', '-5', '1.5', '1e5', 'true', 'null']) {
      expect(adapter.salvageHandle(Buffer.from(text.replace(digits, none)), true)).toBeUndefined();
    }
  });

  it('does not take the same name in another place for the handle', () => {
    const deep = {
      error: { id: 'x', name: 'x', task_id: 'x', video_id: 'x' },
      list: [{ id: 'x', name: 'x', task_id: 'x' }],
    };
    expect(adapter.salvageHandle(Buffer.from(JSON.stringify(deep)), true)).toBeUndefined();
    const quoted = JSON.stringify({ text: JSON.stringify(submitAnswer) });
    expect(adapter.salvageHandle(Buffer.from(quoted), true)).toBeUndefined();
  });
});

describe('facts of each kind', () => {
  /** Limits, lifetimes and timeouts as the documents give them; "hours" counts as one. */
  const facts: Record<
    Kind,
    [entrypoint: string | null, charge: string, callMs: number | null, urlLifeMs: number | null]
  > = {
    'svc/image': ['svc', 'at-success', null, HOUR_MS],
    'svc/edit': ['svc', 'at-success', null, HOUR_MS],
    'svc/clip': ['svc', 'at-success', 150_000, HOUR_MS],
    'svc/animation': ['svc', 'at-success', 150_000, HOUR_MS],
    'vendor-a/text2video': ['vendor-a', 'unknown', null, HOUR_MS],
    'vendor-a/image2video': ['vendor-a', 'unknown', null, HOUR_MS],
    'vendor-a/omni-video': ['vendor-a', 'unknown', null, HOUR_MS],
    'vendor-a/motion-control': ['vendor-a', 'unknown', null, HOUR_MS],
    'vendor-b/avatar': ['vendor-b', 'at-completion', null, HOUR_MS],
    'vendor-c/video': [null, 'unknown', null, 24 * HOUR_MS],
    'vendor-g/video': [null, 'unknown', null, 24 * HOUR_MS],
    'vendor-d/video': [null, 'at-completion', null, HOUR_MS],
    'vendor-e/video': [null, 'unknown', null, HOUR_MS],
    'vendor-f/video': ['vendor-f', 'unknown', null, HOUR_MS],
    'vendor-f/interaction': ['vendor-f', 'at-success', null, null],
  };

  it.each(everyKind)('%s', (kind, adapter) => {
    const isClip = kind === 'svc/clip' || kind === 'svc/animation';
    const callMs = isClip ? answerMaxMs(kind, { syncMaxMs: 0 }) : null;
    expect([adapter.entrypoint, adapter.charge, callMs, adapter.urlLifeMs]).toEqual(facts[kind]);
    if (adapter.flow !== 'async') return;
    expect(adapter.pollBaseMs).toBe(kind === 'vendor-b/avatar' ? 10_000 : 5_000);
    const days = { 'vendor-a': 7, 'vendor-c': 1, 'vendor-g': 1, 'vendor-e': 7 }[providerOf(kind) as string];
    expect(adapter.handleLifeMs).toBe(days === undefined ? null : days * 24 * HOUR_MS);
    expect(adapter.freshUrlOnPoll).toBe(kind === 'vendor-e/video');
  });
});

describe('the documented errors and the vendor’s say (service document 2, Errors)', () => {
  const errors: [number, Json, 'unreachable' | 'disabled' | undefined][] = [
    [400, { detail: 'unknown model' }, undefined],
    [400, { error: { code: 'engine_error', message: 'cannot render' } }, undefined],
    [401, { error: { code: 'key_expired', message: 'expired' } }, undefined],
    [402, { error: { code: 'insufficient_credits', message: 'no credits', request_id: 'r' } }, undefined],
    [403, { detail: { code: 'model_not_available', message: 'no', model: 'm', entrypoint: 'svc' } }, undefined],
    [429, { error: { code: 'concurrent_limit_exceeded', message: 'full' } }, undefined],
    [500, { detail: 'oops' }, undefined],
    [503, { detail: 'temporarily unavailable' }, undefined],
    [503, { error: { code: 'vendor-f_unreachable', message: 'no route' }, detail: 'no route' }, 'unreachable'],
    [503, { detail: 'The vendor-f pass-through is not enabled.' }, 'disabled'],
    [503, { error: { code: 'unavailable', message: 'Pass-through for this provider is not enabled' } }, 'disabled'],
    [500, { error: { code: 'vendor-f_unreachable', message: 'no route' } }, undefined],
    [502, { detail: 'the pass-through is not enabled' }, undefined],
  ];

  it.each(errors)('%i %j', (status, body, meaning) => {
    const error = readError(answerOf(body, status));
    if (error === undefined) throw new Error('a documented error must be readable');
    for (const [kind, adapter] of everyKind) {
      expect(adapter.readRefusal(status, error)).toBe(providerOf(kind) === 'vendor-f' ? meaning : undefined);
    }
  });
});

function knownWords(poll: PollSample): string[] {
  const inside = (node: Json): string[] => {
    if (typeof node === 'string') return [node];
    return typeof node === 'object' && node !== null ? Object.values(node).flatMap(inside) : [];
  };
  return [...poll.running, ...[...poll.succeeded, ...poll.failed].map(({ answer }) => answer)].flatMap(inside);
}
