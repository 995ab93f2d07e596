// The browser of the system, driven by tests: `CHROMIUM_PATH`, else from PATH.
import { execFileSync } from 'node:child_process';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Where Chromium is; throws a sentence where it is missing. */
function chromiumPath(): string {
  const given = process.env.CHROMIUM_PATH;
  if (given !== undefined && given !== '') return given;
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    } catch {
      // The next name.
    }
  }
  throw new Error('the tests of pages need Chromium: `apt-get install chromium`, or CHROMIUM_PATH');
}

/** Close it in the end. */
export function launchBrowser(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath: chromiumPath(), args: isRoot ? ['--no-sandbox'] : [] });
}

/** What a page did that no page of callsheet may do. */
export interface Watched {
  /** Refusals by the page's own policy, errors of scripts, and dialogs. */
  violations: string[];
  /** The hosts of requests, without `file:` and `data:`. */
  hosts: Set<string>;
}

/** Call it before the page is opened. */
export function watchPage(page: Page): Watched {
  const watched: Watched = { violations: [], hosts: new Set() };
  page.on('console', (message) => {
    if (message.type() === 'error') watched.violations.push(message.text());
  });
  page.on('pageerror', ({ message }) => watched.violations.push(message));
  page.on('dialog', (dialog) => {
    watched.violations.push(`a dialog said ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'file:' && protocol !== 'data:') watched.hosts.add(host);
  });
  return watched;
}

/** Breaches of WCAG 2.2 A and AA in the page as it is, one line each. */
export async function accessibilityBreaches(page: Page): Promise<string[]> {
  // Evaluated by the driver: the page's policy lets no script in.
  await page.evaluate(axe.source);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
  const found = await page.evaluate(
    (only) => (globalThis as unknown as { axe: typeof axe }).axe.run({ runOnly: only }),
    tags,
  );
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
}
