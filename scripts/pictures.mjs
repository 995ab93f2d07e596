// The pictures of docs/pictures: the demo's report, as the browser of the system shows it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pictures = join(root, 'docs', 'pictures');
const out = mkdtempSync(join(tmpdir(), 'callsheet-pictures-'));

mkdirSync(pictures, { recursive: true });
try {
  execFileSync(process.execPath, [join(root, 'scripts', 'demo.mjs'), '--out', out], { cwd: root, stdio: 'inherit' });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  /** @type {['report' | 'report-dark', 'light' | 'dark'][]} */
  const looks = [
    ['report', 'light'],
    ['report-dark', 'dark'],
  ];
  for (const [name, colorScheme] of looks) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1_280, height: 900 } });
    await page.goto(pathToFileURL(join(out, 'demo', 'report.html')).href);
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  }
  await browser.close();
} finally {
  rmSync(out, { recursive: true, force: true });
}
