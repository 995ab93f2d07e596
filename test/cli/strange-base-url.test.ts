// 3-R8, design 8: a settings file of the working folder decides nothing about where the API key goes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cli, workFolder } from './harness.js';

let server: Server;
/** Requests with a key. */
let asked = 0;
let url: string;
beforeAll(async () => {
  server = createServer(({ headers }, response) => {
    if (headers.authorization !== undefined) asked += 1;
    response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

const ROW = 'id,kind,model,prompt,width,height\na,svc/image,svc-alpha.2-klein-4b,a harbour,320,200\n';
const env = { CALLSHEET_API_KEY: 'sk-svc-test' };

function project(settings: object): string {
  const folder = workFolder();
  writeFileSync(join(folder, 'callsheet.config.json'), JSON.stringify({ baseUrl: url, ...settings }));
  writeFileSync(join(folder, 'shots.csv'), ROW);
  return folder;
}

function bind(home: string, account: string, baseUrl: string): void {
  mkdirSync(join(home, account), { recursive: true });
  writeFileSync(join(home, account, 'account.json'), JSON.stringify({ schema: 2, baseUrl, homeId: 'a'.repeat(32) }));
}

describe('an address that only the file of the working folder names', () => {
  const COMMANDS = [
    ['credits'],
    ['discounts'],
    ['voices'],
    ['plan', 'shots.csv'],
    ['run', 'shots.csv', '--yes'],
    ['retry', 'shots', '--yes'],
    ['doctor'],
  ];
  test.each(COMMANDS)('%s: the key goes nowhere', async (...args) => {
    asked = 0;
    const { exitCode, stdout, stderr } = await cli(args, { cwd: project({}), env });
    expect([exitCode, asked]).toEqual([4, 0]);
    expect(`${stdout}${stderr}`).toMatch(/only callsheet\.config\.json:1:2 names http:\/\/127/);
  });

  test('it is trusted once the account was used with it, and the file cannot say so itself', async () => {
    const folder = project({ account: { name: 'studio' } });
    const home = join(folder, 'my-home');
    bind(home, 'studio', url);
    asked = 0;
    const trusted = await cli(['credits', '--home', home], { cwd: folder, env });
    expect([trusted.exitCode, asked > 0]).toEqual([4, true]);
    expect(trusted.stderr).toContain('does not accept the API key');

    asked = 0;
    const planted = project({ account: { name: 'studio' }, home: 'planted' });
    bind(join(planted, 'planted'), 'studio', url);
    expect((await cli(['credits'], { cwd: planted, env })).stderr).toContain('the API key was not sent');
    bind(home, 'studio', 'https://service.example');
    const other = await cli(['plan', 'shots.csv', '--home', home], { cwd: folder, env });
    expect(other.stderr).toContain("account 'studio' belongs to https://service.example, and callsheet.config.json:1:");
    expect(asked).toBe(0);
  });

  test('a flag, the environment and a file that the command names are the user’s word', async () => {
    for (const [args, more] of [
      [['--base-url', url], {}],
      [[], { CALLSHEET_BASE_URL: url }],
      [['--config', 'callsheet.config.json'], {}],
    ] as const) {
      asked = 0;
      await cli(['credits', ...args], { cwd: project({}), env: { ...env, ...more } });
      expect(asked).toBeGreaterThan(0);
    }
  });
});

test('3-R8: what such a file says of money is named in the plan', async () => {
  const folder = project({
    budget: { askAbove: '1000' },
    prices: [{ kind: 'svc/image', components: [{ unit: 'request', credits: '0.25' }] }],
  });
  const { stdout } = await cli(['plan', 'shots.csv', '--no-network'], { cwd: folder });
  expect(stdout).toContain('setting   budget.askAbove 1000, by callsheet.config.json:1:');
  expect(stdout).toContain('setting   prices 1 rule, by callsheet.config.json:1:');
});
