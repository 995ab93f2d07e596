import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkKeyForm, Secret, safeText, withoutKeys, withoutTypedKeys } from '../../src/domain/secret.js';

const KEY = 'sk-svc-AbC123_.~-';

describe('a secret prints as [redacted] (I15)', () => {
  it.each<[string, (secret: Secret) => string]>([
    ['template', (secret) => `${secret}`],
    ['concatenation', (secret) => String(secret).concat('')],
    ['JSON', (secret) => JSON.stringify({ secret, list: [secret] })],
    ['inspect', (secret) => inspect({ secret }, { depth: 9, showHidden: true })],
    ['format', (secret) => format('%s %o %j', secret, secret, secret)],
    ['keys', (secret) => JSON.stringify(Object.entries(secret)) + JSON.stringify({ ...secret })],
    ['error', (secret) => new Error('x', { cause: secret }).stack + inspect(new Error('x', { cause: secret }))],
  ])('%s', (_name, print) => {
    expect(print(new Secret(KEY))).not.toContain('AbC123');
  });

  it('reveals it to who asks', () => {
    expect(new Secret(KEY).reveal()).toBe(KEY);
  });
});

describe('the form of a key (B49)', () => {
  it.each([undefined, '', '  ', '\n'])('missing: %j', (text) => expect(checkKeyForm(text)).toBe('missing'));
  it.each([
    `${KEY}\n`,
    ` ${KEY}`,
    `"${KEY}"`,
    `'${KEY}'`,
    'sk-svc-',
    'sk-other-abc',
    `${KEY} x`,
    `${KEY}é`,
    `${KEY}\u0000`,
  ])('wrong: %j', (text) => expect(checkKeyForm(text)).toBe('wrong_form'));
  it('right', () => expect(checkKeyForm(KEY)).toBeUndefined());
});

describe('someone else’s words', () => {
  it('lose control characters, keys and length', () => {
    expect(safeText(`a\u0000\u0007b\tc ${KEY}, d`)).toBe('a b c [redacted] d');
    expect(safeText('😀'.repeat(600))).toBe(`${'😀'.repeat(499)}…`);
    expect(safeText('x'.repeat(500))).toHaveLength(500);
    expect(safeText(`${'x'.repeat(2_990)}${KEY}`, 3_000)).not.toContain('AbC');
  });

  it('takes megabytes at once', () => {
    expect(safeText(KEY.repeat(1_000_000))).toBe('[redacted]');
  });
});

describe('a key that somebody typed', () => {
  it.each(['-k', '--api-key', '--api-key='])('right behind the flag %s it is not shown', (flag) => {
    expect(withoutTypedKeys(`error: unknown option '${flag}${KEY}'`)).toBe(`error: unknown option '${flag}[redacted]'`);
  });

  it('a name with those letters in it is', () => {
    expect(withoutTypedKeys("unknown batch 'task-svc-1'")).toBe("unknown batch 'task-svc-1'");
  });
});

describe('a key in an answer', () => {
  it.each([
    ['at its beginning', 'sk-svc-other', '[redacted]'],
    [
      'behind an escape',
      '{"a":"b\\nsk-svc-other","c":"\\u00e9sk-svc-other"}',
      '{"a":"b\\n[redacted]","c":"\\u00e9[redacted]"}',
    ],
    ['in a URL', '{"url":"https://x.example/?a=%20sk-svc-other"}', '{"url":"https://x.example/?a=%20[redacted]"}'],
    ['its own, wherever it stands', `{"a":"b${KEY}"}`, '{"a":"b[redacted]"}'],
  ])('is taken out: %s', (_name, text, left) => expect(withoutKeys(text, KEY)).toBe(left));

  it('is not seen in a word that ends in sk: handles are sent verbatim, and URLs fetched', () => {
    const text = '{"task_id":"task-svc-0b1f","url":"https://x.example/disk-svc-epsilon-2.5-video/7.mp4?sig=a"}';
    expect(withoutKeys(text, KEY)).toBe(text);
    expect(safeText('no task-svc-0b1f here')).toBe('no task-svc-0b1f here');
  });
});
