import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Notice, NoticeTarget, NoticeType } from '../../src/domain/notice.js';
import { openHome } from '../../src/home/home.js';
import { type Notices, openNotices, waitOf } from '../../src/home/notices.js';
import { createDelivery, type Delivery } from '../../src/notices/deliver.js';
import { createFolderStore } from '../../src/store/folder.js';
import { startWebhook, type Webhook } from '../support/webhook.js';

const T0 = Date.parse('2026-05-01T00:00:00Z');
const DAY_MS = 24 * 3_600_000;
let folder: string;
let hook: Webhook;
let notices: Notices;
let nowMs: number;
let number: number;
let dropped: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callsheet-notices-'));
  hook = await startWebhook();
  notices = openNotices(openHome(createFolderStore(folder), 'a'));
  nowMs = T0;
  number = 0;
  dropped = [];
});

afterEach(async () => {
  await hook.close();
  await rm(folder, { recursive: true, force: true });
});

const own = (to: string, secret: string | null = null): NoticeTarget => ({ to, isOwn: true, secret, isKept: false });

function delivery(targets: NoticeTarget[], patienceMs = 60_000): Delivery {
  const log = { warn: (facts: Record<string, unknown>) => void dropped.push(facts) };
  return createDelivery({ notices, targets: () => targets, log, now: () => nowMs, patienceMs });
}

async function add(type: NoticeType, targets: NoticeTarget[], batch = 'shots'): Promise<void> {
  number += 1;
  const notice: Notice = { schema: 1, id: `id-${number}`, type, atMs: nowMs, account: 'a', batch };
  await notices.add(batch, number, notice, targets.map(waitOf));
}

const arrivedTypes = (): unknown[] => hook.arrived.map(({ body }) => JSON.parse(body).type);

test('a webhook gets the notice with its id, and a signature over timestamp and body', async () => {
  const targets = [own(hook.url, 'shared secret')];
  await add('sampled', targets);
  await delivery(targets).deliver();
  const { body, headers } = hook.arrived[0] ?? { body: '', headers: {} };
  expect(JSON.parse(body)).toMatchObject({ schema: 1, id: 'id-1', type: 'sampled', at: '2026-05-01T00:00:00.000Z' });
  expect(headers['x-callsheet-event-id']).toBe('id-1');
  const signed = `${headers['x-callsheet-timestamp']}.${body}`;
  const signature = createHmac('sha256', 'shared secret').update(signed).digest('hex');
  expect(headers['x-callsheet-signature']).toBe(`sha256=${signature}`);
  expect(await notices.waiting('shots')).toEqual([]);
});

test('each webhook is sent a signature by its own secret, and none where it has none', async () => {
  const other = await startWebhook();
  const targets = [own(hook.url, 'shared secret'), own(other.url)];
  await add('done', targets);
  await delivery(targets).deliver();
  const signatures = [hook, other].map(({ arrived }) => arrived[0]?.headers['x-callsheet-signature']);
  await other.close();
  expect(signatures).toEqual([expect.stringMatching(/^sha256=/), undefined]);
});

test.each([500, 408, 429, 302, 307, 308])(
  'HTTP %i: what is behind it waits with it, and all arrives in order later',
  async (status) => {
    const targets = [own(hook.url)];
    const sender = delivery(targets);
    hook.answer = status;
    await add('paused', targets);
    await add('done', targets);
    await sender.deliver();
    expect(arrivedTypes()).toEqual(['paused']);
    expect(sender.pending()).toBe(2);
    await sender.deliver();
    expect(hook.arrived).toHaveLength(1);
    hook.answer = 204;
    nowMs += 2_000;
    await sender.deliver();
    await sender.deliver();
    expect(arrivedTypes()).toEqual(['paused', 'paused', 'done']);
    expect(sender.pending()).toBe(0);
  },
);

test('a refused notice is dropped and said, and the next one is sent', async () => {
  const targets = [own(hook.url)];
  hook.answer = 404;
  await add('paused', targets);
  await delivery(targets).deliver();
  expect(await notices.waiting('shots')).toEqual([]);
  expect((await notices.told('shots')).dropped).toMatchObject([{ type: 'paused', why: 'HTTP 404' }]);
  expect(dropped).toMatchObject([{ id: 'id-1', target: new URL(hook.url).origin }]);
  expect(JSON.stringify(dropped)).not.toContain('secret-path');
});

test('after a day it is given up, also where no settings name the target any more', async () => {
  const targets = [own(hook.url)];
  hook.answer = 503;
  await add('paused', targets);
  await add('done', targets, 'other');
  const sender = delivery(targets);
  await sender.deliver();
  nowMs += DAY_MS + 1;
  await delivery([]).deliver();
  expect((await notices.told('shots')).dropped).toMatchObject([{ why: 'no settings name it' }]);
  expect(await notices.batches().then((all) => Promise.all(all.map(notices.waiting)))).toEqual(
    expect.not.arrayContaining([expect.arrayContaining([expect.anything()])]),
  );
});

test('for a day it is tried again, then it is given up and said with what the webhook answered last', async () => {
  const targets = [own(hook.url)];
  hook.answer = 503;
  await add('paused', targets);
  const sender = delivery(targets);
  await sender.deliver();
  for (let hour = 0; hour < 24; hour += 1) {
    nowMs += 3_599_000;
    await sender.deliver();
  }
  expect([hook.arrived.length, sender.pending(), dropped]).toEqual([25, 1, []]);
  nowMs = T0 + DAY_MS + 1;
  await sender.deliver();
  expect([sender.pending(), dropped]).toMatchObject([0, [{ id: 'id-1', type: 'paused', why: 'HTTP 503' }]]);
  expect((await notices.told('shots')).dropped).toMatchObject([{ type: 'paused', why: 'HTTP 503', atMs: nowMs }]);
  await sender.deliver();
  expect(hook.arrived).toHaveLength(26);
});

test('one target that is away keeps another from nothing', async () => {
  const away = await startWebhook(500);
  const targets = [own(away.url), own(hook.url)];
  await add('paused', targets);
  await add('done', targets);
  const sender = delivery(targets);
  await sender.deliver();
  expect(arrivedTypes()).toEqual(['paused', 'done']);
  expect(sender.pending()).toBe(2);
  await away.close();
});

test('a target that hangs keeps no other one waiting, and is sent nothing twice meanwhile', async () => {
  const hanging = await startWebhook('hang');
  const targets = [own(hanging.url), own(hook.url)];
  for (const batch of ['a', 'b', 'c']) await add('paused', targets, batch);
  const sender = delivery(targets, 500);
  await sender.deliver();
  expect(arrivedTypes()).toEqual(['paused', 'paused', 'paused']);
  await add('done', targets, 'a');
  sender.wake();
  await sender.deliver();
  expect([arrivedTypes().at(-1), hook.arrived.length]).toEqual(['done', 4]);
  expect([hanging.arrived.length, sender.pending()]).toEqual([1, 4]);
  await hanging.close();
});

test('a notice that arrives late is settled by the next call, and the one behind it follows', async () => {
  const file = join(folder, 'said');
  const targets = [own(`command:cat >> '${file}'; sleep 1`)];
  await add('paused', targets);
  await add('done', targets);
  const sender = delivery(targets, 50);
  await sender.deliver();
  expect(sender.pending()).toBe(2);
  for (let i = 0; i < 200 && sender.pending() > 0; i += 1) await sender.deliver();
  const types = (await readFile(file, 'utf8')).trim().split('\n');
  expect(types.map((line) => JSON.parse(line).type)).toEqual(['paused', 'done']);
});

test('at most eight are on their way at once', async () => {
  const others = await Promise.all(Array.from({ length: 10 }, () => startWebhook('hang')));
  const targets = others.map(({ url }) => own(url));
  await add('done', targets);
  await delivery(targets, 1_000).deliver();
  expect(others.reduce((sum, { arrived }) => sum + arrived.length, 0)).toBe(8);
  await Promise.all(others.map((one) => one.close()));
});

test('settings that name a target anew send what waited for it', async () => {
  const targets: NoticeTarget[] = [];
  await add('done', [own(hook.url)]);
  const sender = delivery(targets);
  await sender.deliver();
  expect(hook.arrived).toEqual([]);
  targets.push(own(hook.url));
  sender.wake();
  await sender.deliver();
  expect(arrivedTypes()).toEqual(['done']);
});

test('a command gets the notice on its standard input, and one that fails is run again', async () => {
  const file = join(folder, 'said');
  const targets = [own(`command:cat >> '${file}'; test -e '${folder}/go'`)];
  await add('done', targets);
  const sender = delivery(targets);
  await sender.deliver();
  expect(sender.pending()).toBe(1);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ id: 'id-1', type: 'done', batch: 'shots' });
});

test('a private address that no file of the user names is refused', async () => {
  const targets = [{ ...own(hook.url), isOwn: false }];
  await add('done', targets);
  await delivery(targets).deliver();
  expect(hook.arrived).toEqual([]);
  expect((await notices.told('shots')).dropped).toHaveLength(1);
});

test('once it ends nothing more is sent: who comes next sends the rest', async () => {
  const targets = [own(hook.url)];
  await add('paused', targets);
  const sender = delivery(targets);
  sender.end();
  await sender.deliver();
  expect(hook.arrived).toEqual([]);
  await delivery(targets).deliver();
  expect(arrivedTypes()).toEqual(['paused']);
});

test('a home that cannot be read for once does not keep what waits from being sent', async () => {
  const targets = [own(hook.url)];
  await add('done', targets);
  const { batches } = notices;
  notices.batches = () => Promise.reject(new Error('EIO'));
  const sender = delivery(targets);
  await expect(sender.deliver()).rejects.toThrow('EIO');
  notices.batches = batches;
  await sender.deliver();
  expect(arrivedTypes()).toEqual(['done']);
});

test('a notice that an earlier build kept for nobody is removed', async () => {
  await add('done', []);
  const sender = delivery([]);
  await sender.deliver();
  expect([await notices.waiting('shots'), sender.pending(), dropped]).toEqual([[], 0, []]);
});

test('that a notice waits for a target that no settings name is logged once', async () => {
  await add('paused', [own(hook.url)]);
  await add('done', [own(hook.url)]);
  const sender = delivery([]);
  for (const _ of [1, 2]) {
    sender.wake();
    await sender.deliver();
  }
  expect(dropped).toEqual([{ batch: 'shots', target: new URL(hook.url).origin, waiting: 2 }]);
});
