// The address holds the place: what was chosen in a view stays by Back and by a reload.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeededHome, type SeededRow, seededHome } from '../cli/seeded-home.js';
import { type ServedHome, serveHome } from '../dashboard/dashboard-rig.js';
import { launchBrowser, watchPage } from '../support/browser.js';

const ROWS = 120;
let browser: Browser;
let home: SeededHome;
let served: ServedHome;

beforeAll(async () => {
  const names = Array.from({ length: ROWS }, (_, i) => `r${String(i).padStart(3, '0')}`);
  home = await seededHome(
    'b',
    names.map((id): SeededRow => ({ id, record: {} })),
  );
  served = await serveHome(home);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

async function opened(view = ''): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(JSON.parse((await home.run('dashboard', '--url', '--json')).stdout).url);
  await page.getByRole('heading', { name: 'Batches' }).waitFor();
  await page.goto(`${served.origin}/#/b/b${view}`);
  return page;
}

test('filter, order and page of the rows stay by Back and by a reload, and do not fill the history', async () => {
  const page = await opened();
  const isKept = async (): Promise<void> => {
    await page.getByText('51–100 of 100').waitFor();
    expect(await page.getByLabel('Text').inputValue()).toBe('r0');
    await page
      .getByRole('columnheader', { name: 'Row', exact: true })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await page.getByRole('link', { name: 'r049' }).waitFor();
  };
  await page.getByLabel('Text').pressSequentially('r0');
  await page.getByRole('button', { name: 'Row', exact: true }).click();
  await page.getByRole('button', { name: 'Row', exact: true }).click();
  await page.getByText('1–50 of 100').waitFor();
  await page.getByRole('button', { name: 'Later' }).click();
  await isKept();
  await page.getByRole('link', { name: 'r049' }).click();
  await page.getByRole('heading', { name: 'r049' }).waitFor();
  await page.goBack();
  await isKept();
  await page.reload();
  await isKept();
  await page.goBack();
  await page.getByRole('heading', { name: 'Batches' }).waitFor();
  await page.close();
});

test('an address that cannot be read shows the list, one that names nothing says so', async () => {
  const page = await opened('/rows');
  const watched = watchPage(page);
  await page.goto(`${served.origin}/#/b/%`);
  await page.getByRole('heading', { name: 'Batches' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Batches' }).waitFor();
  expect(watched.violations).toEqual([]);
  await page.goto(`${served.origin}/#/b/none`);
  await page.getByText('there is no such batch').first().waitFor();
  await page.close();
});

test('an address of a row that is not there says so, and shows no other row with its orders', async () => {
  const page = await opened('/row/r001');
  await page.getByRole('heading', { name: 'r001' }).waitFor();
  await page.goto(`${served.origin}/#/b/b/row/none`);
  await page.getByText('there is no such batch, row or file').waitFor();
  expect(await page.getByRole('heading', { name: 'r001' }).count()).toBe(0);
  await page.close();
});
