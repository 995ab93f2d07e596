// The gallery holds what it shows and nothing of what was looked through before.
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { seededHome, T0 } from '../cli/seeded-home.js';
import { serveHome } from '../dashboard/dashboard-rig.js';
import { launchBrowser } from '../support/browser.js';
import { smallPng } from '../support/small-png.js';

const ROWS = 320;
const SHOWN = 60;

test('however many outputs are looked through, those of one page are held', async () => {
  const picture = { contentType: 'image/png', bytes: smallPng().length, sha256: 'a' };
  const names = Array.from({ length: ROWS }, (_, i) => `r${i}`);
  const ended = { submittedAtMs: T0, renderedAtMs: T0 + 9_000 };
  const home = await seededHome(
    'b',
    names.map((id) => ({ id, record: { ...ended, files: [{ ...picture, file: `media/${id}.png` }] } })),
  );
  const media = `${(await home.home.readBatch('b'))?.out}/b/media`;
  mkdirSync(media, { recursive: true });
  for (const name of names) writeFileSync(`${media}/${name}.png`, smallPng());
  const served = await serveHome(home);
  onTestFinished(() => served.stop());
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const counters = await page.context().newCDPSession(page);
  await page.goto(JSON.parse((await home.run('dashboard', '--url', '--json')).stdout).url);
  await page.getByRole('heading', { name: 'Batches' }).waitFor();
  await page.goto(`${served.origin}/#/b/b/gallery`);

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
  const last = await held();
  expect(last.pictures).toBe(SHOWN);
  // Five pages of nodes would be there, were they kept; some wait for the browser to free them.
  expect(last.nodes).toBeLessThan(first.nodes * 3);
}, 120_000);
