// 5-X14: what a user gets wrong first is told in one sentence that names it.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refusePlace } from '../../src/cli/access/home-access.js';
import { EXIT, UserError } from '../../src/cli/user-error.js';
import { readBatchOptions, writeBatchOptions } from '../../src/home/batch-order.js';
import { StoreError } from '../../src/store/port.js';
import { cli, workFolder } from './harness.js';
import { seededHome } from './seeded-home.js';

describe('5-X14: flags and variables', () => {
  const refusals: [string[], number, RegExp][] = [
    [
      ['credits', '--base-url', 'http://127.0.0.1:9', '--api-key-file='],
      4,
      /^error: B49 --api-key-file must name a file/,
    ],
    [['credits', '--config='], 4, /^error: \.: B56 is a folder; --config must name a file\n$/],
    [['plan', 'm.csv', '--delimiter', '\n'], 2, /error: --delimiter must be one character, got '\\n'\n$/],
    [['run', 'm.csv', '--retry-failed='], 2, /^checking m\.csv\nerror: --retry-failed is empty: name one of /],
    [['run', 'm.csv', '--retry-failed'], 4, /error: B50 the base URL is missing/],
    [['plan', 'm.csv', '--concurrency', ' 3'], 4, /got '3' with blanks beside it\n$/],
    // Names that every object of JavaScript has.
    [['status', 'constructor'], 2, /^error: account 'default' has no batch 'constructor' in /],
    [['explain', '__proto__'], 2, /^error: unknown code '__proto__'; /],
    [['emulator', '--port', '99999'], 2, /^error: --port must be a whole number from 0 to 65535, got '99999'\n$/],
  ];
  test.each(refusals)('%j', async (args, code, says) => {
    const cwd = workFolder();
    writeFileSync(join(cwd, 'm.csv'), 'id,kind\na,svc/image\n');
    const ran = await cli(args, { cwd });
    expect(ran.stderr).toMatch(says);
    expect(ran.exitCode).toBe(code);
  });

  test('a variable for what is a flag alone is said to do nothing', async () => {
    const { stderr } = await cli(['config', 'show'], { env: { CALLSHEET_CONFIG: 'x.json' } });
    expect(stderr).toContain('CALLSHEET_CONFIG is no setting and has no effect; --config names the file');
  });
});

test('a key that was given to another setting is not shown, in JSON either', async () => {
  const env = { CALLSHEET_USER_AGENT: 'sk-svc-secret-1', CALLSHEET_OUT: '/films/sk-svc-secret-2' };
  for (const form of [[], ['--json'], ['--json', '--origin']]) {
    const { exitCode, stdout } = await cli(['config', 'show', ...form], { env });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('[redacted]');
    expect(stdout).not.toContain('secret-');
  }
});

test("no escape sequence of somebody else's settings file or folder reaches the terminal", async () => {
  const home = await seededHome('b', [{ id: 'one', record: {} }]);
  const options = await readBatchOptions(home.home, 'b');
  await writeBatchOptions(home.home, 'b', { ...options, manifest: '/shots/\u001b]0;x\u0007b.csv' });
  const settings = { names: { template: '{id}\u001b[2J' }, s3: { region: 'eu\u202e' } };
  writeFileSync(join(home.folder, 'callsheet.config.json'), JSON.stringify(settings));
  for (const args of [['status', 'b'], ['list'], ['config', 'show']]) {
    const { exitCode, stdout } = await home.run(...args);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/\/shots\/ \]0;x b\.csv|\{id\} \[2J/)]);
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  }
});

describe('5-X14: an address that is not the service', () => {
  const answers: [number, string, number, RegExp][] = [
    [204, '', 4, /answers HTTP 204 when asked for credits: check that this is the base URL of the service/],
    [404, '<html>no</html>', 4, /answers HTTP 404 when asked for credits: check that this is the base URL/],
    [403, '{"error":{"code":"nope","message":"no"}}', 4, /HTTP 403 nope no when asked for credits: use a key .* proxy/],
    [
      200,
      '<html>welcome</html>',
      5,
      /answer about credits cannot be read: .*; check that the base URL is the service's/,
    ],
    [500, '{}', 5, /answers HTTP 500 when asked for credits: check the base URL and the network/],
  ];
  test.each(answers)('that answers %i %j', async (status, body, code, says) => {
    const server = createServer((_, response) => response.writeHead(status).end(body));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const ran = await cli(['credits', '--base-url', url], { env: { CALLSHEET_API_KEY: 'sk-svc-abc' } });
      expect(ran.stderr).toMatch(says);
      expect(ran.exitCode).toBe(code);
    } finally {
      server.close();
    }
  });
});

test.each([
  ['NoSuchBucket', 'cannot write s3://b/p: the bucket does not exist (NoSuchBucket)', 'the bucket does not exist'],
  ['EACCES', "cannot write 'a/b' in s3://b/p: permission denied (EACCES)", 'permission denied'],
  ['ENOSPC', '1 MB are free, and the outputs need about 2 MB', '1 MB are free, and the outputs need about 2 MB'],
])('B54: a place that cannot be written is named once (%s)', (code, message, why) => {
  const said = `B54 cannot write to s3://b/p (${code}): ${why}; nothing was submitted`;
  expect(() => refusePlace('s3://b/p', new StoreError(code, message))).toThrow(new UserError(said, EXIT.configuration));
});
