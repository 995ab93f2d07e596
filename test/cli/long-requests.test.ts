// A bucket's server that only asks to come again: what a person hears of the wait.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { s3Error } from '../support/s3-proxy.js';
import { S3_KEYS } from '../support/s3-server.js';
import { cli } from './harness.js';

let server: Server;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  server = createServer((_request, response) => {
    const { status, body } = s3Error(503, 'SlowDown');
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const CALLSHEET_S3_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  env = { CALLSHEET_S3_ENDPOINT, CALLSHEET_S3_FORCE_PATH_STYLE: 'true' };
  for (const [name, value] of Object.entries(S3_KEYS)) vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

test('a command says once that a bucket lets it wait, then why it ends; --quiet hears of the end alone', async () => {
  const commands = [['list'], ['status', 'shots'], ['list', '--quiet']];
  const ended = await Promise.all(commands.map((args) => cli([...args, '--home', 's3://state/home'], { env })));
  const waiting = 'waiting for the server of s3://state, which has no answer yet or asks to come again\n';
  for (const [index, { exitCode, stdout, stderr }] of ended.entries()) {
    expect([exitCode, stdout]).toEqual([4, '']);
    expect(stderr.startsWith(waiting)).toBe(index < 2);
    expect(stderr.replace(waiting, '')).toMatch(
      /^error: cannot read '.+' in s3:.+ asks for fewer requests \(SlowDown\)\n$/,
    );
  }
}, 60_000);
