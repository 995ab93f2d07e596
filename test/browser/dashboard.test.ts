// The page in a real browser, over a home without an engine: every view for everybody, quiet, and text as text.
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeededHome, seededHome, T0 } from '../cli/seeded-home.js';
import { type ServedHome, serveHome } from '../dashboard/dashboard-rig.js';
import { accessibilityBreaches, launchBrowser, watchPage } from '../support/browser.js';
import { smallPng } from '../support/small-png.js';

const HOSTILE = `"><img src="http://127.0.0.1:9/x" onerror="alert(1)"><script>alert(2)</script>' onfocus='alert(3)' autofocus='`;
const LOST = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: HOSTILE } } as const;
const UNDECIDED = { state: 'verdict', atMs: T0 + 9_000, verdict: 'undecided', sentence: HOSTILE } as const;
const PICTURE = { contentType: 'image/png', bytes: smallPng().length, sha256: 'a' };
let browser: Browser;
let home: SeededHome;
let served: ServedHome;

beforeAll(async () => {
  home = await seededHome('b', [
    {
      id: 'one',
      record: { files: [{ ...PICTURE, file: 'media/one.png' }], submittedAtMs: T0, renderedAtMs: T0 + 9_000 },
    },
    { id: 'two', record: { files: [{ ...PICTURE, file: 'media/two.png' }], submittedAtMs: T0 + 5_000 } },
    { id: 'bad', record: { status: 'failed', reasonCode: 'render_failed', reason: HOSTILE } },
    {
      id: 'case',
      states: [LOST, UNDECIDED],
      record: { status: 'review', reasonCode: 'answer_lost_undecided', reason: HOSTILE },
    },
    { id: 'open' },
  ]);
  const reading = { rpm: 200, concurrent: 10, plan: 'pro' };
  for (const [minute, credits] of [10, 9.6, 9.2].entries()) {
    await home.home.addCheckpoint({ ...reading, atMs: T0 + minute * 60_000, balanceNano: credits * 1e9 });
  }
  const media = `${(await home.home.readBatch('b'))?.out}/b/media`;
  mkdirSync(media, { recursive: true });
  for (const name of ['one', 'two']) writeFileSync(`${media}/${name}.png`, smallPng());
  served = await serveHome(home);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await served?.stop();
});

const newUrl = async (): Promise<string> => JSON.parse((await home.run('dashboard', '--url', '--json')).stdout).url;

const VIEWS: [address: string, shows: string][] = [
  ['#/', 'Batches'],
  ['#/b/b', 'What did not come'],
  ['#/b/b/gallery', 'Gallery'],
  ['#/b/b/time', 'Slots held'],
  ['#/b/b/row/case', 'Settle it'],
  ['#/b/b/row/one', 'Nothing was sent yet.'],
];

test.each(['light', 'dark'] as const)(
  '%s: no breach of WCAG 2.2 AA, no refusal by its policy, no request elsewhere, nothing run',
  async (colorScheme) => {
    for (const width of [390, 3_000]) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
      const watched = watchPage(page);
      await page.goto(await newUrl());
      await page.getByRole('heading', { name: 'Batches' }).waitFor();
      for (const [address, shows] of VIEWS) {
        await page.goto(`${served.origin}/${address}`);
        await page.getByText(shows).first().waitFor();
        expect([address, await accessibilityBreaches(page)]).toEqual([address, []]);
        const fits = await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth');
        expect([address, width, fits]).toEqual([address, width, true]);
      }
      expect([watched.violations, [...watched.hosts]]).toEqual([[], [new URL(served.origin).host]]);
      expect(await page.evaluate('document.querySelectorAll("[onerror], [onfocus]").length')).toBe(0);
      await page.close();
    }
  },
  120_000,
);

test('the code leaves the address, a second tab asks the first, a stranger is told what to type', async () => {
  const context = await browser.newContext();
  const first = await context.newPage();
  await first.goto(await newUrl());
  await first.getByRole('link', { name: 'b', exact: true }).waitFor();
  expect(first.url()).toBe(`${served.origin}/#/`);
  const second = await context.newPage();
  await second.goto(`${served.origin}/#/b/b`);
  await second.getByRole('heading', { name: 'Rows' }).waitFor();
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(served.origin);
  await stranger.getByText('callsheet dashboard --url').waitFor();
  await context.close();
});

test('rows are found by status and text; keys go from row to row and from picture to picture', async () => {
  const page = await browser.newPage();
  await page.goto(await newUrl());
  await page.getByRole('link', { name: 'b', exact: true }).click();
  await page.getByLabel('Status').selectOption('done');
  await page.getByText('1–2 of 2').waitFor();
  await page.getByRole('rowheader').getByRole('link', { name: 'one' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'two' }).waitFor();
  await page.getByRole('link', { name: 'Gallery' }).click();
  await page.getByRole('button', { name: 'Show one' }).click();
  await page.getByRole('dialog', { name: 'one' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('dialog', { name: 'two' }).waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByLabel('Side by side').selectOption('model');
  await page.getByRole('region', { name: 'Outputs by model' }).getByRole('button', { name: 'Show two' }).waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await page.goto(`${served.origin}/#/b/b/time`);
  await page.getByText(/^Balance of the account: .*; what \d+ rows? costs? is not known/).waitFor();
  const legend = page.getByRole('list', { name: 'What the slots were, as a share of the time of all of them' });
  await legend.getByText(/^held \d+ %$/).waitFor();
  await legend.getByText(/^not known \d+ %, /).waitFor();
  await page.close();
});

test('a retry names its rows before it is given, and is refused as the command line refuses it', async () => {
  const page = await browser.newPage();
  await page.goto(await newUrl());
  await page.getByRole('link', { name: 'b', exact: true }).click();
  await page.getByRole('button', { name: 'Retry render_failed' }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry render_failed?' });
  // Nothing runs: the order starts the row that waits as well.
  await dialog.getByText('2 rows, the price is not known').waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Retry render_failed' }).click();
  const said = (await dialog.getByRole('alert').textContent()) ?? '';
  const { stderr } = await home.run('retry', 'b', '--class', 'render_failed', '--yes');
  expect(stderr).toContain(said);
  await page.close();
});

test('on another address the secret opens the page, and again after a restart', async () => {
  const file = `${home.folder}/dashboard.secret`;
  const secret = 'a secret of a team, long enough'.replaceAll(' ', '-').padEnd(32, '!');
  writeFileSync(file, secret, { mode: 0o600 });
  const flags = ['--listen', '0.0.0.0', '--host', 'localhost', '--secret-file', file];
  let elsewhere = await serveHome(home, ...flags);
  const { port } = new URL(elsewhere.url);
  const page = await browser.newPage();
  const open = async (given: string): Promise<void> => {
    await page.getByLabel('The secret').fill(given);
    await page.keyboard.press('Enter');
  };
  await page.goto(`http://localhost:${port}/#/b/b`);
  await page.getByRole('form', { name: 'This dashboard is opened by its secret' }).waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await open('wrong');
  await page.getByRole('alert').getByText('this is not the secret').waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await open(secret);
  await page.getByRole('heading', { name: 'Rows' }).waitFor();
  expect(await page.evaluate('JSON.stringify(sessionStorage) + location.href')).not.toContain(secret);
  await elsewhere.stop();
  elsewhere = await serveHome(home, ...flags, '--port', port);
  await open(secret);
  await page.getByRole('heading', { name: 'Rows' }).waitFor();
  await page.close();
  await elsewhere.stop();
}, 60_000);
