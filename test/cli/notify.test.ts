import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toldOf } from '../../src/cli/batch/submit-batch.js';
import type { Session } from '../../src/cli/session.js';
import { markOf, openNotices, waitOf } from '../../src/home/notices.js';
import { startWebhook, type Webhook } from '../support/webhook.js';
import { cli, workFolder } from './harness.js';
import { ACCOUNT, seededHome, T0 } from './seeded-home.js';

let hook: Webhook;
beforeEach(async () => {
  hook = await startWebhook();
});
afterEach(() => hook.close());

test('notify test sends to all targets and says which did not get it', async () => {
  const sent = await cli(['notify', 'test', '--notify', hook.url, '--notify', 'command:exit 3']);
  expect(sent.exitCode).toBe(5);
  expect(sent.stdout).toBe(`${new URL(hook.url).origin}: arrived\ncommand: did not arrive: ended with 3\n`);
  expect(JSON.parse(hook.arrived[0]?.body ?? '')).toMatchObject({ type: 'test', batch: null });
  expect((await cli(['notify', 'test'], { env: { CALLSHEET_NOTIFY: hook.url } })).exitCode).toBe(0);
});

test('without a target it says how to name one', async () => {
  const { exitCode, stderr } = await cli(['notify', 'test']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--notify')]);
});

test.each([
  ['a command', { notify: ['command:touch x'] }],
  ['a private address', { notify: ['http://127.0.0.1:1/x'] }],
  ['a secret', { notifySecret: 'word' }],
])('%s in a file of the working folder is refused, in the user’s own file taken', async (_, settings) => {
  const cwd = workFolder();
  writeFileSync(join(cwd, 'callsheet.config.json'), JSON.stringify(settings));
  const refused = await cli(['config', 'show'], { cwd });
  expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining("user's own settings file")]);
  const other = workFolder();
  mkdirSync(join(other, 'user-settings', 'callsheet'), { recursive: true });
  writeFileSync(join(other, 'user-settings', 'callsheet', 'config.json'), JSON.stringify(settings));
  const taken = await cli(['config', 'show'], { cwd: other });
  expect([taken.stderr, taken.exitCode]).toEqual(['', 0]);
  expect(taken.stdout).not.toMatch(/touch x|'word'|:1\/x/);
});

test.each([
  ['hooks.slack.com/services/T/B/SECRET', "got 'hooks.slack.com'"],
  ['user:SECRET@hooks.example.com/x', "got 'user:hooks.example.com'"],
  ['hooks.example.com?token=SECRET', "got 'hooks.example.com'"],
  ['htps:/hooks.example.com/SECRET', "got 'htps:/hooks.example.com'"],
])('of a target that is none, %s, the host is shown at most', async (to, shown) => {
  const { exitCode, stderr } = await cli(['notify', 'test', '--notify', to]);
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining(shown)]);
  expect(stderr).not.toContain('SECRET');
});

test.each([
  { notify: 'https://hooks.slack.com/services/T/B/SECRET' },
  { notify: { to: 'https://hooks.slack.com/services/T/B/SECRET' } },
  { notify: [['https://hooks.slack.com/services/T/B/SECRET']] },
  { notifySecret: ['SECRET'] },
])('nor is it shown where the settings have another shape: %j', async (settings) => {
  const cwd = workFolder();
  mkdirSync(join(cwd, 'user-settings', 'callsheet'), { recursive: true });
  writeFileSync(join(cwd, 'user-settings', 'callsheet', 'config.json'), JSON.stringify(settings));
  const { exitCode, stdout, stderr } = await cli(['notify', 'test', '--json'], { cwd });
  expect([exitCode, stderr]).toEqual([4, expect.stringMatching(/notify(Secret)?.* must be/)]);
  expect(stdout + stderr).not.toContain('SECRET');
});

test('status names what waits and what was dropped', async () => {
  const { home, run } = await seededHome('shots', [{ id: 'one', record: { status: 'done' } }]);
  expect((await run('status', 'shots')).stdout).not.toContain('notice');
  const notices = openNotices(home);
  const notice = { schema: 1, id: 'id', type: 'done', atMs: T0, account: ACCOUNT, batch: 'shots' } as const;
  await notices.add('shots', 1, notice, [waitOf({ to: 'https://hooks.example.com/word' })]);
  // Of an earlier build, which kept notices for nobody too.
  await notices.add('shots', 2, { ...notice, type: 'paused' }, []);
  const dropped = [{ label: 'command', type: 'paused', why: 'ended with 1', atMs: T0 }];
  await notices.writeTold('shots', { schema: 1, next: 3, told: [], dropped });
  const { stdout } = await run('status', 'shots');
  expect(stdout).toContain("notice    'done' of 2026-01-05T10:00:00.000Z waits for https://hooks.example.com\n");
  expect(stdout).not.toContain("'paused' of");
  expect(stdout).toContain("notice    'paused' to command was dropped: ended with 1\n");
  expect(JSON.parse((await run('status', 'shots', '--json')).stdout).notices).toMatchObject({
    waiting: [{ type: 'done', targets: ['https://hooks.example.com'] }],
    dropped: [{ type: 'paused', target: 'command' }],
  });
});

const FIRST = 'https://first.example.com/x';
const SECOND = 'https://second.example.com/x';

test.each([
  ['a flag of `resume`', 'flag', undefined, SECOND],
  ['the environment of `resume`', 'environment', undefined, SECOND],
  ['the file of a folder in which `resume` is typed', 'config file', undefined, FIRST],
  ['the file of the folder from which `run` begins it anew', 'config file', {}, SECOND],
] as const)('of a batch that tells somebody, %s: who is told', (_, name, slots, told) => {
  const config = { notify: [{ to: SECOND }] };
  const session = { config, origins: new Map([['notify', { name }]]) } as unknown as Session;
  expect(toldOf(session, { ...(slots && { slots }) }, [markOf(FIRST)])).toEqual([markOf(told)]);
  expect(toldOf(session, {}, undefined)).toEqual([markOf(SECOND)]);
});
