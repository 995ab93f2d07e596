// An order of the page says what the command line says, whether it is refused or finds nothing to do.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeededHome, seededHome, T0 } from '../cli/seeded-home.js';
import { type ServedHome, serveHome, serveWith, sessionOf } from './dashboard-rig.js';

let home: SeededHome;
let served: ServedHome;
let headers: Record<string, string>;

beforeAll(async () => {
  const failed = { status: 'failed', reasonCode: 'invalid_request' } as const;
  home = await seededHome('b', [
    { id: 'one', record: { status: 'done' } },
    { id: 'two', record: failed },
  ]);
  served = await serveHome(home);
  headers = { 'x-callsheet-session': await sessionOf(served) };
});
afterAll(() => served?.stop());

test('an order for limits is confirmed beside what holds, as `limits` says it', async () => {
  await home.home.addCheckpoint({ atMs: T0, balanceNano: 1, rpm: 200, concurrent: 10, plan: 'pro' });
  const said = async (...args: string[]) => JSON.parse((await home.run('limits', ...args, '--json')).stdout);
  const { concurrency, weight, priority } = await said('b');
  const order = (name: string) => JSON.stringify({ order: name });
  const inForce = async (name: string) => {
    const answer = await fetch(`${served.origin}/api/batches/b/quote`, { method: 'POST', body: order(name), headers });
    return ((await answer.json()) as { inForce: object }).inForce;
  };
  expect(await inForce('limits')).toEqual({ concurrency, weight, priority });
  expect(await inForce('account-limits')).toEqual((await said()).inForce);
  expect(await inForce('account-limits')).toEqual({ concurrency: 10, rpm: 200 });
});

async function give(order: object): Promise<[status: number, message: string]> {
  const body = JSON.stringify(order);
  const answer = await fetch(`${served.origin}/api/batches/b/orders`, { method: 'POST', body, headers });
  return [answer.status, ((await answer.json()) as { message: string }).message];
}

test('a refused order says why, not how it is typed', async () => {
  const [status, message] = await give({ order: 'limits', weight: '101' });
  expect([status, message]).toEqual([409, expect.stringMatching(/--weight.*100/)]);
});

test('a retry with nothing to retry says so', async () => {
  const nothing = "'b' has no failed or cancelled row of class render_failed: nothing is run again";
  expect(await give({ order: 'retry', reason: 'render_failed' })).toEqual([200, nothing]);
});

test('what the dashboard was started with stands behind what its page orders', async () => {
  const limited = await serveHome(home, '--rpm', '30', '--concurrency', '4', '--max-credits', '5');
  const token = { 'x-callsheet-session': await sessionOf(limited) };
  const order = async (what: object): Promise<number> => {
    const body = JSON.stringify(what);
    return (await fetch(`${limited.origin}/api/batches/b/orders`, { method: 'POST', body, headers: token })).status;
  };
  expect(await order({ order: 'account-limits', rpm: '60' })).toBe(200);
  const { ordered } = JSON.parse((await home.run('limits', '--json')).stdout);
  await home.run('limits', '--reset');
  await limited.stop();
  expect(ordered).toEqual({ concurrency: null, rpm: 60 });
});

test('a key that came on standard input is there for every order', async () => {
  const piped = await serveWith(home, { stdin: 'sk-svc-test' }, '--api-key-file', '-');
  const token = { 'x-callsheet-session': await sessionOf(piped) };
  const body = JSON.stringify({ order: 'retry', reason: 'render_failed' });
  const said: number[] = [];
  for (const _ of ['once', 'again']) {
    said.push((await fetch(`${piped.origin}/api/batches/b/orders`, { method: 'POST', body, headers: token })).status);
  }
  await piped.stop();
  expect(said).toEqual([200, 200]);
});
