// An order to a batch of an account that is served: the S3 credentials of its command reach the engine, those of whoever
// only follows do not.
import { expect, test, vi } from 'vitest';
import { rejoinWork, resumeWork } from '../../src/cli/access/work-access.js';
import { buildId } from '../../src/cli/access/work-place.js';
import type { Session } from '../../src/cli/session.js';
import { type ControlReply, serveControl } from '../../src/engine/control.js';
import type { EngineState } from '../../src/engine/engine-status.js';
import { enginePlaces } from '../../src/engine/places.js';
import type { AccountRegistration } from '../../src/engine/registration.js';
import { temporaryFolder } from '../store/support/temporary.js';

vi.mock('../../src/temporal.js', async (original) => ({
  ...(await original<typeof import('../../src/temporal.js')>()),
  connectTemporal: async () => ({ close: async () => undefined }),
}));

const FRESH = { AWS_ACCESS_KEY_ID: 'fresh', AWS_SECRET_ACCESS_KEY: 'word', AWS_SESSION_TOKEN: 'token' };

/** What the engine, which serves the account and has its key, is handed by a command with these variables. */
async function handedOver(
  join: (session: Session) => Promise<unknown>,
  env: object,
  io: object = {},
): Promise<AccountRegistration[]> {
  const data = temporaryFolder();
  const handed: AccountRegistration[] = [];
  const status = {
    state: 'ready',
    buildId: buildId(),
    address: '127.0.0.1:1',
    accounts: ['a'],
  } as unknown as EngineState;
  const server = await serveControl(enginePlaces(data).socket, async (request): Promise<ControlReply> => {
    if (request.cmd === 'account') handed.push(request.registration);
    return { ok: true, status };
  });
  const config = {
    ...{ data, account: { name: 'a', exclusive: false }, baseUrl: 'http://127.0.0.1:9', notify: [], prices: [] },
    ...{ temporal: { address: null, keys: null }, waits: { renderMaxSeconds: {} }, limits: {}, sync: {}, svc: {} },
  };
  const apiKey = async () => ({ secret: { reveal: () => 'sk-svc-a' } });
  await join({ config, apiKey, keyOrigin: '--api-key-file', cli: { io: { ...io, env } } } as unknown as Session);
  server.close();
  return handed;
}

test('`resume` hands over credentials that it finds, and the account stays as it is', async () => {
  const env = { ...FRESH, HOME: '/home' };
  expect(await handedOver((session) => resumeWork(session), env)).toMatchObject([{ s3: FRESH, isKeyOnly: true }]);
});

test('a command without credentials hands nothing over, nor does one that only follows', async () => {
  expect(await handedOver((session) => resumeWork(session), { AWS_REGION: 'eu-central-1' })).toEqual([]);
  expect(await handedOver((session) => rejoinWork(session), FRESH)).toEqual([]);
});

test('an order of a page hands nothing over: others may have been brought since the page was opened', async () => {
  expect(await handedOver((session) => resumeWork(session), FRESH, { isOfPage: true })).toEqual([]);
});
