// The report in a real browser: whole for everybody, and quiet.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResultLine } from '../../src/manifest/result-fields.js';
import { collectRows } from '../../src/report/collect.js';
import { publicPage } from '../../src/report/media-page.js';
import { reportPage } from '../../src/report/report-page.js';
import { storedRow, wholeRecord } from '../home/support/examples.js';
import { accessibilityBreaches, launchBrowser, watchPage } from '../support/browser.js';
import { smallPng } from '../support/small-png.js';

const HOSTILE = `"><img src="http://127.0.0.1:9/x" onerror="alert(1)"><script>alert(2)</script>' onfocus='alert(3)' autofocus='`;
const folder = mkdtempSync(join(tmpdir(), 'callsheet-report-'));
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function* lines(): AsyncIterable<ResultLine> {
  for (let index = 0; index < 6; index += 1) {
    const cells = { model: HOSTILE, prompt: HOSTILE };
    const { row } = storedRow(index, { cells, group: HOSTILE, passthrough: { 'x-title': HOSTILE } });
    const times = { submittedAtMs: 1_000 * index, renderedAtMs: 9_000, finishedAtMs: 10_000 };
    const failed = { status: index === 1 ? 'failed' : 'review', reasonCode: 'render_failed', reason: HOSTILE } as const;
    const files = [{ file: `media/${HOSTILE}`, contentType: 'image/png', bytes: 3, sha256: 'd' }];
    const over = index === 1 || index === 2 ? { ...failed, files: [] } : { files };
    yield { row, originalCells: {}, record: wholeRecord(row.id, { ...times, ...over }) };
  }
}

async function pages(): Promise<[string, string][]> {
  const rows = await collectRows(lines(), { createdAtMs: 0 });
  const poster = { contentType: 'image/png', bytes: smallPng() };
  const tiles = rows.outputs.map((output, i) => ({ output, poster: i === 0 ? poster : undefined }));
  const terms = {
    ...{ batch: HOSTILE, version: '1', writtenAtMs: 1, createdAtMs: 0, slots: 10, rpm: 200 },
    ...{ spending: [HOSTILE], settings: [['manifest', HOSTILE]] as [string, string][] },
    ...{ awaitsApproval: true, quote: [['quote', HOSTILE]] as [string, string][] },
  };
  return [
    ['report.html', reportPage(rows, terms, tiles)],
    ['report-public.html', publicPage(HOSTILE, rows, tiles)],
  ];
}

test.each(['light', 'dark'] as const)(
  '%s: no breach of WCAG 2.2 AA, no refusal by its policy, no request, nothing run',
  async (colorScheme) => {
    for (const [name, text] of await pages()) {
      writeFileSync(join(folder, name), text);
      for (const width of [390, 1_280, 3_000]) {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
        const watched = watchPage(page);
        await page.goto(pathToFileURL(join(folder, name)).href);
        expect(await page.title()).toContain(HOSTILE);
        expect(await page.evaluate('document.scripts.length')).toBe(0);
        expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
        expect(await accessibilityBreaches(page)).toEqual([]);
        expect([watched.violations, [...watched.hosts]]).toEqual([[], []]);
        await page.close();
      }
    }
  },
  120_000,
);

test('on a phone no table is wider than the window, and each value stands beside the name of its column', async () => {
  for (const [name, text] of await pages()) writeFileSync(join(folder, name), text);
  const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
  await page.goto(pathToFileURL(join(folder, 'report.html')).href);
  const wide = `[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length`;
  expect(await page.evaluate(wide)).toBe(0);
  const label = `getComputedStyle(document.querySelector('.rows td:nth-child(5)'), '::before').content`;
  expect(await page.evaluate(label)).toBe('"status"');
  const beside = `getComputedStyle(document.querySelector('.rows td.n')).paddingLeft`;
  expect(await page.evaluate(beside)).toBe('96px');
  await page.setViewportSize({ width: 1_280, height: 900 });
  expect(await page.evaluate(label)).toBe('none');
  await page.close();
});
