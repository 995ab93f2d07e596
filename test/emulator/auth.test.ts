import { describe, expect, test } from 'vitest';
import { at, emulator, KEY } from './harness.js';

const AGENT = { 'user-agent': 'callsheet-test/1.0' };

describe('authentication (service document 1, Authentication)', () => {
  test('each of the five 401 codes has its cause and the documented body', async () => {
    const emu = await emulator({
      keys: [
        { key: KEY, state: 'active' },
        { key: 'sk-svc-gone', state: 'revoked' },
        { key: 'sk-svc-old', state: 'expired' },
      ],
    });
    const cases: [Record<string, string>, string][] = [
      [{}, 'missing_api_key'],
      [{ 'x-api-key': '' }, 'missing_api_key'],
      [{ authorization: 'Bearer ' }, 'missing_api_key'],
      [{ 'x-api-key': 'sk-other-1' }, 'invalid_key_format'],
      [{ authorization: 'Bearer token' }, 'invalid_key_format'],
      [{ 'x-api-key': 'sk-svc-nobody' }, 'invalid_api_key'],
      [{ 'x-api-key': 'sk-svc-gone' }, 'key_revoked'],
      [{ 'x-api-key': 'sk-svc-old' }, 'key_expired'],
    ];
    for (const [headers, code] of cases) {
      const reply = await emu.get('/v1/credits', { ...AGENT, ...headers });
      expect(reply.status).toBe(401);
      expect(at(reply.json, 'error.code'), JSON.stringify(headers)).toBe(code);
      expect(at(reply.json, 'error.message')).toBeTypeOf('string');
      expect(at(reply.json, 'error.request_id')).toBeTypeOf('string');
    }
  });

  test('both headers are accepted, and Bearer takes precedence when both are sent', async () => {
    const emu = await emulator();
    expect((await emu.get('/v1/credits', { 'x-api-key': KEY })).status).toBe(200);
    expect((await emu.get('/v1/credits', { authorization: `Bearer ${KEY}` })).status).toBe(200);
    const good = { authorization: `Bearer ${KEY}`, 'x-api-key': 'sk-svc-nobody' };
    expect((await emu.get('/v1/credits', good)).status).toBe(200);
    const bad = { authorization: 'Bearer sk-svc-nobody', 'x-api-key': KEY };
    expect(at((await emu.get('/v1/credits', bad)).json, 'error.code')).toBe('invalid_api_key');
  });

  test('every endpoint is authenticated, unknown paths included', async () => {
    const emu = await emulator();
    for (const path of [
      '/v1/credits',
      '/v1/discounts',
      '/v1/vendor-b/v3/voices',
      '/v1/vendor-c/tasks/x',
      '/v1/nothing',
    ]) {
      expect((await emu.get(path, AGENT)).status, path).toBe(401);
    }
    expect((await emu.post('/v1/images/generations', {}, AGENT)).status).toBe(401);
  });

  test('a rotated key works on for 24 hours, then fails with a 401; the new one works at once', async () => {
    // 24 hours at this speed are 1,728 ms.
    const emu = await emulator({ speed: 50_000 });
    const fresh = emu.rotateKey(KEY);
    expect(fresh).toMatch(/^sk-svc-/);
    expect((await emu.get('/v1/credits', { 'x-api-key': fresh })).status).toBe(200);
    expect((await emu.get('/v1/credits')).status).toBe(200);
    let last = 200;
    while (last === 200) last = (await emu.get('/v1/credits')).status;
    expect(last).toBe(401);
    expect((await emu.get('/v1/credits', { 'x-api-key': fresh })).status).toBe(200);
  });

  test('a restricted model needs a grant: 403 with an object as detail', async () => {
    const emu = await emulator({
      restrictedModels: ['svc-delta-4', 'vendor-f-3.1-generate-preview', 'avatar_iv'],
      keys: [
        { key: KEY, state: 'active' },
        { key: 'sk-svc-granted', state: 'active', restrictedModelsGranted: ['svc-delta-4'] },
      ],
    });
    const body = { model: 'svc-delta-4', prompt: 'a sign' };
    const refused = await emu.post('/v1/images/generations', body);
    expect(refused.status).toBe(403);
    expect(refused.json.detail).toMatchObject({ code: 'model_not_available', model: 'svc-delta-4', entrypoint: 'svc' });
    expect(at(refused.json, 'detail.message')).toBeTypeOf('string');
    const headers = { ...AGENT, 'x-api-key': 'sk-svc-granted', 'content-type': 'application/json' };
    expect((await emu.post('/v1/images/generations', body, headers)).status).toBe(200);
    const path = '/v1/vendor-f/v1beta/models/vendor-f-3.1-generate-preview:predictLongRunning';
    const submit = await emu.post(path, { instances: [{ prompt: 'x' }] });
    expect(submit.json.detail).toMatchObject({ model: 'vendor-f-3.1-generate-preview', entrypoint: 'vendor-f' });
    expect(emu.truth().jobs).toHaveLength(1);
  });
});

describe('User-Agent on the avatar routes (service document 2, "What the service does")', () => {
  test('the default User-Agent of an HTTP client is refused there and nowhere else', async () => {
    const emu = await emulator();
    const path = '/v1/vendor-b/v3/voices';
    for (const agent of [
      'node',
      'undici',
      'curl/8.5.0',
      'python-requests/2.32',
      'axios/1.7.2',
      'Go-http-client/1.1',
      '',
    ]) {
      expect((await emu.get(path, { 'x-api-key': KEY, 'user-agent': agent })).status, agent).toBe(403);
      expect((await emu.get('/v1/credits', { 'x-api-key': KEY, 'user-agent': agent })).status, agent).toBe(200);
    }
    expect((await emu.get(path, { 'x-api-key': KEY, 'user-agent': 'YourApp/1.0' })).status).toBe(200);
    expect(emu.truth().violationCounts.default_user_agent).toBe(7);
  });
});

describe('finding 4, smaller: a malformed list of keys changes nothing', () => {
  test.each([
    ['a word that is not known', [{ key: 'sk-svc-new', state: 'lost' }], /key 1: 'state' must be one of active/],
    ['no state', [{ key: KEY, state: 'active' }, { key: 'sk-svc-new' }], /key 2: 'state'/],
    ['a key of another form', [{ key: 'new', state: 'active' }], /key 1: 'key' must begin with 'sk-svc-'/],
    ['a string for a key', ['sk-svc-new'], /key 1: /],
    ['a field that is not known', [{ key: 'sk-svc-new', state: 'active', until: 5 }], /until/],
  ])('%s', async (_what, keys, says) => {
    const emu = await emulator({ control: true });
    const reply = await emu.post('/_control/keys', { keys });
    expect(reply.status).toBe(400);
    expect(reply.json.detail).toMatch(says);
    expect(reply.text).not.toContain('sk-svc-new');
    expect((await emu.get('/v1/credits')).status).toBe(200);
  });
});
