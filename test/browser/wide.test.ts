// What a manifest names without a space fits the page all the same.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeededRow, seededHome, T0 } from '../cli/seeded-home.js';
import { type ServedHome, serveHome } from '../dashboard/dashboard-rig.js';
import { launchBrowser } from '../support/browser.js';

const LONG = 'w'.repeat(300);
const ID = 'i'.repeat(120);
const REASON = { status: 'failed', reasonCode: 'render_failed', reason: LONG } as const;
const PICTURE = { contentType: 'image/png', bytes: 1, sha256: 'a', file: 'media/one.png' };
let browser: Browser;
let served: ServedHome;

beforeAll(async () => {
  const cells = { model: LONG, prompt: LONG, title: LONG };
  const rows: SeededRow[] = [
    {
      id: 'one',
      row: { cells, group: LONG },
      record: { files: [PICTURE], submittedAtMs: T0, renderedAtMs: T0 + 9_000 },
    },
    { id: ID, row: { cells, group: LONG }, record: REASON },
  ];
  served = await serveHome(await seededHome('b', rows));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

test('names of 300 letters make no view wider than the window', async () => {
  const page = await browser.newPage();
  await page.goto(served.url);
  await page.getByRole('heading', { name: 'Batches' }).waitFor();
  const wider: string[] = [];
  const views = ['rows', 'gallery', 'gallery?by=group', 'gallery?by=model', 'time', 'row/one', `row/${ID}`];
  for (const view of views) {
    await page.goto(`${served.origin}/#/b/b/${view}`);
    await page
      .locator('h2')
      .nth(view === 'rows' ? 1 : 0)
      .waitFor();
    await page.waitForTimeout(300);
    for (const width of [390, 1_200]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      if (wide !== width) wider.push(`${view} at ${width}: ${wide}`);
    }
  }
  expect(wider).toEqual([]);
  await page.close();
});
