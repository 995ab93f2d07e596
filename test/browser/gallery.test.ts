// The gallery holds what it shows and nothing of what was looked through before.
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { OutputFile } from '../../src/domain/outcome.js';
import { type SeededHome, seededHome, T0 } from '../cli/seeded-home.js';
import { serveHome } from '../dashboard/dashboard-rig.js';
import { launchBrowser } from '../support/browser.js';
import { rowRecord } from '../support/row-record.js';
import { smallPng } from '../support/small-png.js';

const ROWS = 320;
const SHOWN = 60;

/** The gallery of a batch with so many outputs; those that are named are films. */
async function openedGallery(count: number, films: string[] = []): Promise<Page> {
  const picture = { contentType: 'image/png', bytes: smallPng().length, sha256: 'a' };
  const names = Array.from({ length: count }, (_, i) => `r${i}`);
  const ended = { submittedAtMs: T0, renderedAtMs: T0 + 9_000 };
  const fileOf = (id: string): OutputFile => {
    if (films.includes(id)) return { ...picture, contentType: 'video/mp4', file: `media/${id}.mp4` };
    return { ...picture, file: `media/${id}.png` };
  };
  const home = await seededHome(
    'b',
    names.map((id) => ({ id, record: { ...ended, files: [fileOf(id)] } })),
  );
  const out = `${(await home.home.readBatch('b'))?.out}/b`;
  mkdirSync(`${out}/media`, { recursive: true });
  for (const name of names) writeFileSync(`${out}/${fileOf(name).file}`, smallPng());
  return galleryOf(home);
}

async function galleryOf(home: SeededHome) {
  const served = await serveHome(home);
  onTestFinished(() => served.stop());
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(served.url);
  await page.getByRole('heading', { name: 'Batches' }).waitFor();
  await page.goto(`${served.origin}/#/b/b/gallery`);
  return page;
}

test('however many outputs are looked through, those of one page are held', async () => {
  const page = await openedGallery(ROWS);
  const counters = await page.context().newCDPSession(page);
  const held = async (): Promise<{ pictures: number; nodes: number }> => {
    await counters.send('HeapProfiler.collectGarbage');
    const { nodes } = await counters.send('Memory.getDOMCounters');
    return { pictures: await page.locator('.tiles img').count(), nodes };
  };
  await page.getByText(`1–${SHOWN} of ${ROWS}`).waitFor();
  const first = await held();
  expect(first.pictures).toBe(SHOWN);
  for (let at = SHOWN; at < ROWS; at += SHOWN) {
    await page.getByRole('button', { name: 'Later' }).click();
    await page.getByText(`${at + 1}–${Math.min(ROWS, at + SHOWN)} of ${ROWS}`).waitFor();
  }
  await page.getByText('Earlier').first().click();
  await page.getByText(`${ROWS - 20 - SHOWN + 1}–${ROWS - 20} of ${ROWS}`).waitFor();
  // Five pages of nodes would be there, were they kept; a browser that has much to do frees some of them later.
  const isFreed = async (): Promise<boolean> => {
    const { pictures, nodes } = await held();
    return pictures === SHOWN && nodes < first.nodes * 3;
  };
  await expect.poll(isFreed, { timeout: 60_000, interval: 500 }).toBe(true);
}, 120_000);

test('keys and buttons go on past a film and from page to page, and the focus ends where the look ended', async () => {
  const page = await openedGallery(SHOWN + 2, ['r0', 'r1']);
  const shows = (name: string) => page.getByRole('dialog', { name, exact: true }).waitFor();
  const focused = () => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent.trim()');
  await page.getByRole('button', { name: 'Show r0', exact: true }).click();
  await shows('r0');
  await expect.poll(focused).toBe('Next');
  for (const name of ['r1', 'r2']) {
    await page.keyboard.press('ArrowRight');
    await shows(name);
  }
  await page.keyboard.press('Escape');
  await expect.poll(focused).toBe('Show r2');
  await page.getByRole('button', { name: `Show r${SHOWN - 1}` }).click();
  await page.keyboard.press('Enter');
  await shows(`r${SHOWN}`);
  await page.getByRole('button', { name: 'Previous' }).click();
  await shows(`r${SHOWN - 1}`);
  await expect.poll(focused).toBe('Previous');
  for (const at of [SHOWN, SHOWN + 1, SHOWN + 1]) {
    await page.getByRole('button', { name: 'Next' }).click();
    await shows(`r${at}`);
  }
  await page.getByRole('button', { name: 'Close' }).click();
  await expect.poll(focused).toBe(`Show r${SHOWN + 1}`);
}, 60_000);

test('what is looked at stays while outputs come before it', async () => {
  const file = (id: string): OutputFile => {
    return { contentType: 'image/png', bytes: smallPng().length, sha256: 'a', file: `media/${id}.png` };
  };
  const home = await seededHome('b', [{ id: 'r0' }, { id: 'r1', record: { files: [file('r1')] } }, { id: 'r2' }]);
  const page = await galleryOf(home);
  await page.getByRole('button', { name: 'Show r1' }).click();
  await page.getByRole('dialog', { name: 'r1' }).waitFor();
  await home.records.writeRecord('b', rowRecord({ id: 'r0', rowHash: 'hash-r0', files: [file('r0')] }));
  await page.getByText('1–2 of 2').waitFor({ state: 'attached' });
  expect(await page.getByRole('dialog', { name: 'r1' }).count()).toBe(1);
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('dialog', { name: 'r0' }).waitFor();
});
