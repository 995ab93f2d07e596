// What the page offers for a batch and for a row, and what stands beside each order, without any engine.
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { Notice } from '../../src/domain/notice.js';
import type { OutputFile } from '../../src/domain/outcome.js';
import { markStopped, writeSampleGate } from '../../src/home/batch-marks.js';
import { openNotices } from '../../src/home/notices.js';
import { CREDIT, type SeededHome, type SeededRow, seededHome, T0 } from '../cli/seeded-home.js';
import { type ServedHome, serveHome } from '../dashboard/dashboard-rig.js';
import { accessibilityBreaches, launchBrowser } from '../support/browser.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = {
  ...{ state: 'verdict', atMs: T0 + 600_000, verdict: 'undecided' },
  sentence: 'it can be either',
};
const REVIEW = { status: 'review', reasonCode: 'answer_lost_undecided' } as const;
const RENDERED: AttemptState = {
  state: 'rendered',
  atMs: T0 + 9_000,
  outputs: [{ url: 'https://cdn.x/f' }],
  facts: {},
};
const DONE: SeededRow = { id: 'one', record: { creditsNano: 0.4 * CREDIT } };

let browser: Browser;
let served: ServedHome | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterEach(async () => {
  await served?.stop();
  served = undefined;
});
afterAll(() => browser?.close());

async function opened(home: SeededHome, view = '', options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  served = await serveHome(home);
  const page = await browser.newPage(options);
  await page.goto(served.url);
  await page.getByRole('heading', { name: 'Batches' }).waitFor();
  await page.goto(`${served.origin}/#/b/b${view}`);
  return page;
}

/** The orders for the whole batch. */
async function batchOrders(page: Page): Promise<string[]> {
  await page.getByRole('navigation', { name: 'Views of the batch' }).waitFor();
  return page.locator('main > .buttons').getByRole('button').allTextContents();
}

test('a row in review is settled beside what the balance tells; each order that is refused says why', async () => {
  const pending = { status: 'review', reasonCode: 'output_pending' } as const;
  const home = await seededHome('b', [
    { id: 'lost', states: [LOST, UNDECIDED], record: REVIEW },
    { id: 'pending', states: [{ state: 'created', atMs: T0 + 1_000, handle: 'h' }, RENDERED], record: pending },
    { id: 'open', states: [LOST] },
  ]);
  const reading = { rpm: null, concurrent: null, plan: null };
  for (const [minute, balance] of [10, 9.5, 9.5].entries()) {
    const atMs = T0 - 1_000 + 60_000 * minute;
    await home.home.addCheckpoint({ ...reading, askedMs: atMs - 1_000, atMs, balanceNano: balance * CREDIT });
  }
  const page = await opened(home, '/row/lost');
  const settle = page.getByRole('region', { name: 'Settle it' });
  await settle.getByText('Balance before the submit').waitFor();
  await settle.getByText('Submitting it again costs at most').waitFor();
  expect(await settle.locator('dd').allTextContents()).toEqual(expect.arrayContaining(['0.5', '0.4']));
  await settle.getByText('Readings of the balance').click();
  expect(await settle.locator('details li').count()).toBe(3);
  // Nobody waits for a reading any more.
  expect(await settle.getByText('That it was not billed can be known from').count()).toBe(0);
  const facts = (await page.locator('ol.line .record').allInnerTexts()).join(' ').replace(/\s+/g, ' ');
  expect(facts).toContain('expected at least 0.4 credits at most 0.4 credits');
  expect(facts).toContain('evidence rule T11 message reset');
  expect(facts).toContain('verdict undecided sentence it can be either');
  expect(facts).not.toContain('{');
  expect(await accessibilityBreaches(page)).toEqual([]);
  await settle.getByRole('button', { name: 'Not billed' }).click();
  const dialog = page.getByRole('dialog', { name: 'Not billed?' });
  await dialog.getByText('1 row, no further credits').waitFor();
  await dialog.getByRole('button', { name: 'Leave it' }).click();
  await page.goto(`${served?.origin}/#/b/b/row/pending`);
  await settle.getByText('Mark it lost: not now, its output is fetched as long as it may live').waitFor();
  await settle.getByText('Attach its handle: not now, its handle is known and it was rendered').waitFor();
  await page.goto(`${served?.origin}/#/b/b/row/open`);
  await settle.getByText('That it was not billed can be known from').waitFor();
  await page.close();
});

test('each reason has the order that mends it, or says where that stands', async () => {
  const ended = (id: string, record: SeededRow['record']): SeededRow => ({ id, record: { creditsNano: 0, ...record } });
  const home = await seededHome('b', [
    ended('pending', { status: 'review', reasonCode: 'output_pending' }),
    ended('inputs', { status: 'not_started', reasonCode: 'input_changed', attempts: 0 }),
    ended('fed', { status: 'not_started', reasonCode: 'upstream_review', attempts: 0 }),
    ended('unfed', { status: 'not_started', reasonCode: 'upstream_failed', attempts: 0 }),
    ended('expired', { status: 'review', reasonCode: 'handle_expired' }),
  ]);
  const page = await opened(home);
  await page.getByRole('button', { name: 'Fetch output_pending again' }).click();
  await page.getByRole('dialog').getByText('4 rows').waitFor();
  await page.getByRole('button', { name: 'Leave it' }).click();
  for (const name of ['Retry with the files as they lie', 'Retry all failed and cancelled rows']) {
    await page.getByRole('button', { name }).waitFor();
  }
  await page.getByText('Settle the rows that feed them first').waitFor();
  await page.getByText('Each has its orders on its own page').waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await page.getByRole('region', { name: 'What did not come' }).getByRole('link', { name: 'expired' }).click();
  await page.getByRole('heading', { name: 'expired' }).waitFor();
  await page.close();
});

test('a batch that stopped by itself says so and is resumed with another budget, or approved where it was before', async () => {
  const home = await seededHome('b', [DONE, { id: 'two' }]);
  await markStopped(home.home, 'b', 'budget_reached', { atMs: T0 });
  const page = await opened(home);
  expect(await batchOrders(page)).toEqual(['Resume']);
  await page.getByText('Its budget was reached before its last row').waitFor();
  await page.getByRole('button', { name: 'Resume' }).first().click();
  await page
    .getByRole('dialog')
    .getByLabel(/^Its budget in credits/)
    .waitFor();
  await page.getByRole('dialog').getByText('1 row, the price is not known').waitFor();
  await page.getByRole('button', { name: 'Leave it' }).click();
  const generation = (await home.rows.currentGeneration('b')) ?? '';
  await writeSampleGate(home.home, 'b', {
    ids: ['one'],
    atMs: 1,
    approved: { generation, maxCreditsNano: 1, atMs: 2 },
  });
  await page.reload();
  expect(await batchOrders(page)).toEqual(['Approve the rest']);
  await page.close();
});

test('what a person would do next is said, and which notices did not arrive', async () => {
  const home = await seededHome('b', [DONE, { id: 'two', record: { status: 'failed', reasonCode: 'render_failed' } }]);
  const notices = openNotices(home.home);
  const notice: Notice = { schema: 1, id: 'n', type: 'done', atMs: T0, account: 'a', batch: 'b' };
  for (const number of [1, 2]) await notices.add('b', number, notice, [{ mark: 'm', label: 'hook.example' }]);
  const lost = { label: 'hook.example', type: 'done', why: 'HTTP 404', atMs: T0 };
  await notices.writeTold('b', { schema: 1, next: 3, told: [], dropped: [lost] });
  const page = await opened(home);
  await page.getByText(/^Next, on the command line: callsheet retry b /).waitFor();
  await page.getByText('2 notices wait to be delivered, 1 notice was dropped: `callsheet status b`').waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await page.goto(`${served?.origin}/#/`);
  await page.getByRole('listitem').getByText('callsheet retry b').waitFor();
  await page.close();
});

test('without an engine a batch with open rows takes the orders that the command line takes then', async () => {
  const page = await opened(await seededHome('b', [DONE, { id: 'two' }]));
  expect(await batchOrders(page)).toEqual(['Resume', 'Cancel', 'Limits', 'Account limits']);
  await page.getByText('Resume, Retry and Approve start one').waitFor();
  await page.getByText('0.8, if open rows cost as planned, or as those of their kind').waitFor();
  await page.getByRole('button', { name: 'Limits', exact: true }).click();
  await page.getByLabel(/^Simultaneous jobs of this batch .*; now no limit set$/).waitFor();
  await page.getByLabel(/^Weight beside other batches.*; now 1$/).waitFor();
  await page.getByRole('button', { name: 'Leave it' }).click();
  await page.close();
});

test('a sampled batch shows what its sample said of the rest, until that is approved', async () => {
  const home = await seededHome('b', [DONE, { id: 'two' }]);
  const generation = (await home.rows.currentGeneration('b')) ?? '';
  const range = { lowNano: CREDIT / 2, highNano: CREDIT, lowMs: 60_000, highMs: 120_000 };
  const quote = { generation, atMs: 1, sample: { ended: 3, failed: 1 }, measured: [], rows: 40, ...range };
  await writeSampleGate(home.home, 'b', { ids: ['one'], atMs: 1, quote });
  const page = await opened(home);
  const shown = page.getByRole('region', { name: 'The sample and the rest' });
  await shown.getByText('1 of 3 rows brought no output').waitFor();
  await shown.getByText('no price of these kinds yet').waitFor();
  await shown.getByText('40 rows: 0.5 to 1 credits, 1 min to 2 min').waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  const quoted = { body: JSON.stringify({ rows: 40, credits: '1.53' }) };
  await page.route('**/quote', (route) => route.fulfill(quoted));
  await page.getByRole('button', { name: 'Approve the rest' }).click();
  const dialog = page.getByRole('dialog', { name: 'Approve the rest?' });
  await dialog.getByText('at most 1.53 credits; with the 0.4 that were spent so far, at most 1.93').waitFor();
  await dialog.getByLabel('At most so many credits, with all that was spent so far').waitFor();
  await dialog.getByRole('button', { name: 'Leave it' }).click();
  await page.unroute('**/quote');
  // The manifest that is answered for is named by the order again.
  const unpriced = async (route: Route) => {
    const { generation: answered } = await (await route.fetch()).json();
    await route.fulfill({ body: JSON.stringify({ rows: 40, credits: null, generation: answered }) });
  };
  await page.route('**/quote', unpriced);
  await page.getByRole('button', { name: 'Approve the rest' }).click();
  await dialog.getByText('40 rows, the price is not known, and no budget bounds it').waitFor();
  // Nothing that was typed before the quote came is sent with it.
  expect(await dialog.getByRole('textbox').count()).toBe(0);
  const given = page.waitForRequest('**/orders');
  await page.route('**/orders', (route) => route.fulfill({ body: JSON.stringify({ message: 'approved' }) }));
  await dialog.getByRole('button', { name: 'Approve the rest' }).click();
  expect((await given).postDataJSON()).toEqual({
    ...{ order: 'approve', generation, agreed: { rows: 40, credits: null } },
  });
  await dialog.waitFor({ state: 'detached' });
  await page.unroute('**/orders');
  const told = await home.run('status', 'b');
  expect(told.stdout).toContain('quote     40 rows: 0.5 to 1 credits, 1 min to 2 min');
  await writeSampleGate(home.home, 'b', {
    ids: ['one'],
    atMs: 1,
    quote,
    approved: { generation, maxCreditsNano: 1, atMs: 2 },
  });
  await page.reload();
  await page.getByRole('heading', { name: 'b', exact: true }).waitFor();
  expect(await shown.count()).toBe(0);
  expect(JSON.parse((await home.run('status', 'b', '--json')).stdout)).toMatchObject({ quote: null });
  await page.close();
});

test('a sampled batch can be cancelled', async () => {
  const home = await seededHome('b', [DONE, { id: 'two' }]);
  await writeSampleGate(home.home, 'b', { ids: ['one'], atMs: 1 });
  const page = await opened(home);
  expect(await batchOrders(page)).toEqual(['Approve the rest', 'Cancel']);
  await page.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel?' });
  await dialog.getByText('1 row, no further credits').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(JSON.parse((await home.run('status', 'b', '--json')).stdout).counts).toMatchObject({ done: 1, cancelled: 1 });
  const said = page.locator('.said');
  await page.getByLabel('Status').selectOption('done');
  expect(await said.textContent()).not.toBe('');
  await page.getByRole('link', { name: 'Gallery' }).click();
  await page.getByRole('heading', { name: 'Gallery' }).waitFor();
  await expect.poll(() => said.textContent()).toBe('');
  await page.close();
});

test('a film is asked for when it comes near', async () => {
  const film = (file: string): OutputFile => ({ file, contentType: 'video/mp4', bytes: 9, sha256: 'a' });
  const ids = Array.from({ length: 30 }, (_, i) => `f${i + 10}`);
  const home = await seededHome(
    'b',
    ids.map((id) => ({ id, record: { files: [film(`media/${id}.mp4`)] } })),
  );
  const asked = new Set<string>();
  const page = await opened(home, '', { viewport: { width: 390, height: 600 } });
  page.on('request', (request) => {
    if (request.url().includes('/media/')) asked.add(request.url());
  });
  await page.getByRole('link', { name: 'Gallery' }).click();
  await page.getByRole('button', { name: 'Show f10' }).waitFor();
  await expect.poll(() => asked.size).toBeGreaterThan(0);
  expect(asked.size).toBeLessThan(20);
  const before = asked.size;
  await page.getByRole('button', { name: 'Show f39' }).scrollIntoViewIfNeeded();
  await expect.poll(() => asked.size).toBeGreaterThan(before);
  await page.close();
});

test('rows that take no slot are in the time of their batch, and what they cost without two readings', async () => {
  const times = { submittedAtMs: T0, renderedAtMs: T0 + 9_000, creditsNano: 0.2 * CREDIT };
  const row = { kind: 'vendor-f/interaction' } as const;
  const page = await opened(await seededHome('b', [{ id: 'one', row, record: { ...row, ...times } }]), '/time');
  await page.getByText('No row took a slot.').waitFor();
  await page.getByText(/^Submits per minute, without repeated ones and polls: at most 1/).waitFor();
  await page.getByText('The balance was not read twice; rows cost 0.2').waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await page.close();
});

test('numbers are those of the reader’s language, in durations too', async () => {
  const home = await seededHome('b', [DONE]);
  const status = JSON.parse((await home.run('status', 'b', '--json')).stdout);
  const eta = { lowSeconds: 9_000, highSeconds: 18_000, bound: null };
  const overview = { account: 'a', isServed: true, blocked: null, balance: null, batches: [{ ...status, eta }] };
  served = await serveHome(home);
  const page = await browser.newPage({ locale: 'de-DE' });
  await page.route('**/api/events', (route) => route.fulfill({ body: `${JSON.stringify(overview)}\n` }));
  await page.goto(served.url);
  await page.getByText('2,5 h to 5,0 h').waitFor();
  await page.close();
});
