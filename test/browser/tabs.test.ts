// Many tabs of one browser: one stream of events serves all of them, and one session is enough after a restart.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeededHome, seededHome } from '../cli/seeded-home.js';
import { serveHome } from '../dashboard/dashboard-rig.js';
import { launchBrowser } from '../support/browser.js';

/** More than the six connections that a browser has to one server. */
const TABS = 8;
let browser: Browser;
let home: SeededHome;

beforeAll(async () => {
  browser = await launchBrowser();
  home = await seededHome('b', [{ id: 'one', record: {} }, { id: 'two' }]);
});
afterAll(() => browser?.close());

const shows = (page: Page) => page.getByRole('link', { name: 'b', exact: true }).waitFor();

test('eight tabs show the list over one stream, which another tab reads on when the first is closed', async () => {
  const served = await serveHome(home);
  const context = await browser.newContext();
  let streams = 0;
  context.on('request', (request) => {
    if (request.url().endsWith('/api/events')) streams += 1;
  });
  const pages: Page[] = [];
  for (let tab = 0; tab < TABS; tab += 1) {
    const page = await context.newPage();
    await page.goto(tab === 0 ? served.url : served.origin);
    await shows(page);
    pages.push(page);
  }
  expect(streams).toBe(1);
  const [first, second, last] = [pages[0], pages[1], pages.at(-1)] as [Page, Page, Page];
  await last.getByRole('link', { name: 'b', exact: true }).click();
  await last.getByRole('heading', { name: 'Rows' }).waitFor();
  await first.close();
  await expect.poll(() => streams).toBe(2);
  await last.getByRole('button', { name: 'Cancel' }).click();
  await last.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await second.getByText('1 done, 1 cancelled').waitFor();
  await served.stop();
  for (const page of pages.slice(1)) await page.getByText('The server does not answer').waitFor();
  await context.close();
}, 60_000);

test('after a restart tabs say that their session is gone, and take that of a tab that is opened later', async () => {
  const before = await serveHome(home);
  const { origin } = before;
  const context = await browser.newContext();
  const [first, second] = [await context.newPage(), await context.newPage()];
  await first.goto(before.url);
  await shows(first);
  await second.goto(`${origin}/#/b/b`);
  await second.getByRole('heading', { name: 'Rows' }).waitFor();
  await before.stop();
  await first.getByText('The server does not answer').waitFor();
  const after = await serveHome(home, '--port', new URL(origin).port);
  for (const page of [first, second]) {
    await page.getByRole('alert').getByText('this page has no session').first().waitFor();
    expect(await page.getByText('The server does not answer').count()).toBe(0);
  }
  const third = await context.newPage();
  await third.goto(after.url);
  await shows(third);
  for (const page of [first, second]) await page.getByRole('alert').waitFor({ state: 'detached' });
  await second.getByLabel('Text').fill('two');
  await second.getByText('1–1 of 1').waitFor();
  await context.close();
  await after.stop();
}, 60_000);

test('after a restart the address that is printed then is taken in the same tab; one that is used up asks other tabs', async () => {
  const before = await serveHome(home);
  const context = await browser.newContext();
  const first = await context.newPage();
  await first.goto(before.url);
  await shows(first);
  await before.stop();
  await first.getByText('The server does not answer').waitFor();
  const after = await serveHome(home, '--port', new URL(before.origin).port);
  await first.getByRole('alert').getByText('this page has no session').first().waitFor();
  // Nothing but the fragment is another one: the browser does not load the page again.
  await first.goto(after.url);
  await first.getByRole('alert').waitFor({ state: 'detached' });
  await shows(first);
  expect(first.url()).toBe(`${after.origin}/#/`);
  const second = await context.newPage();
  await second.goto(after.url);
  await shows(second);
  await context.close();
  await after.stop();
}, 60_000);

test('where a browser has no locks, each tab reads its own stream', async () => {
  const served = await serveHome(home);
  const context = await browser.newContext();
  await context.addInitScript('delete Navigator.prototype.locks');
  let streams = 0;
  context.on('request', (request) => {
    if (request.url().endsWith('/api/events')) streams += 1;
  });
  for (const url of [served.url, served.origin]) {
    const page = await context.newPage();
    await page.goto(url);
    await shows(page);
  }
  expect(streams).toBe(2);
  await context.close();
  await served.stop();
});
