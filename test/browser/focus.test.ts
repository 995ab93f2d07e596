// Who goes by the keyboard is never thrown back to the start of the page.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededHome } from '../cli/seeded-home.js';
import { type ServedHome, serveHome } from '../dashboard/dashboard-rig.js';
import { launchBrowser } from '../support/browser.js';

let browser: Browser;
let served: ServedHome;

beforeAll(async () => {
  served = await serveHome(await seededHome('b', [{ id: 'one', record: {} }, { id: 'two' }]));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

test('a view’s heading gets the focus, a dialog gives it back, and the title names the view', async () => {
  const page = await browser.newPage();
  const focused = () => page.evaluate('document.activeElement.tagName + " " + document.activeElement.textContent');
  const isAt = async (heading: string, title: string): Promise<void> => {
    await expect.poll(focused).toBe(heading);
    expect(await page.title()).toBe(title);
  };
  await page.goto(served.url);
  await page.getByRole('link', { name: 'b', exact: true }).click();
  await isAt('H1 b', 'rows – b – callsheet');
  await page.getByRole('link', { name: 'one' }).click();
  await isAt('H2 one', 'one – b – callsheet');
  await page.goBack();
  await isAt('H2 Rows', 'rows – b – callsheet');
  await page.getByRole('link', { name: 'Gallery' }).click();
  await isAt('H2 Gallery', 'gallery – b – callsheet');
  await page.getByRole('link', { name: 'Time' }).click();
  await isAt('H2 Time', 'time – b – callsheet');
  await page.getByRole('link', { name: 'callsheet' }).click();
  await isAt('H1 Batches', 'callsheet');
  await page.goBack();
  await isAt('H1 b', 'time – b – callsheet');
  await page.getByRole('link', { name: 'Rows' }).click();
  await isAt('H2 Rows', 'rows – b – callsheet');
  await page.getByLabel('Text').fill('one');
  await page.getByText('1–1 of 1').waitFor();
  expect(await page.getByLabel('Text').evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);

  await page.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 row, no further credits').waitFor();
  await dialog.getByRole('button', { name: 'Leave it' }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toBe('BUTTON Cancel');
  await page.keyboard.press('Enter');
  await dialog.getByText('1 row, no further credits').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toBe('BUTTON Cancel');
  await page.keyboard.press('Enter');
  await dialog.getByText('1 row, no further credits').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('1 done, 1 cancelled').waitFor();
  expect(await focused()).toMatch(/^P it does not run now/);
  await page.close();
});
