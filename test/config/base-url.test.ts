import { expect, test } from 'vitest';
import { canServiceReach, isLoopbackUrl, readBaseUrl } from '../../src/config/base-url.js';

test.each([
  ['https://media.example', 'https://media.example', false, 443],
  ['https://media.example:8443/', 'https://media.example:8443', false, 8443],
  ['HTTPS://Media.Example', 'https://media.example', false, 443],
  ['http://127.0.0.1:8787', 'http://127.0.0.1:8787', true, 8787],
  ['http://127.9.9.9', 'http://127.9.9.9', true, 80],
  ['http://localhost:1', 'http://localhost:1', true, 1],
  ['http://[::1]:5', 'http://[::1]:5', true, 5],
  ['https://localhost', 'https://localhost', true, 443],
])('%s is taken', (text, origin, isLoopback, port) => {
  expect(readBaseUrl(text)).toEqual({ ok: true, baseUrl: { origin, isLoopback, port } });
});

test.each([
  'http://media.example',
  'http://10.0.0.5',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'https://media.example/v1',
  'https://media.example/?a=1',
  'https://media.example?',
  'https://media.example/#x',
  'https://user:sk-svc-secret@media.example',
  'ftp://media.example',
  'media.example',
  'https://',
  'https://a b',
  'https://media.example\\@evil.example',
])('%s is refused', (text) => {
  const read = readBaseUrl(text);
  expect(read).toMatchObject({ ok: false, message: expect.stringMatching(/^baseUrl must be https:\/\/host/) });
  expect(JSON.stringify(read)).not.toContain('secret');
});

test('loopback is judged by the host alone', () => {
  expect(isLoopbackUrl('http://127.0.0.1:8787')).toBe(true);
  expect(isLoopbackUrl('https://media.example')).toBe(false);
});

test('the service reads an S3 endpoint that is public https, and on this machine a rehearsal does', () => {
  const service = 'https://media.example';
  for (const endpoint of [undefined, 'https://s3.example', 'https://s3.example:8443']) {
    expect(canServiceReach(endpoint, service), endpoint).toBe(true);
  }
  for (const host of [
    'http://s3.example',
    'https://127.0.0.1',
    'https://localhost',
    'https://10.1.2.3',
    'https://minio',
  ]) {
    expect(canServiceReach(host, service), host).toBe(false);
    expect(canServiceReach(host, 'http://127.0.0.1:8787'), host).toBe(true);
  }
});
