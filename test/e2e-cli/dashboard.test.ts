// The page as a person uses it: a batch that runs is followed, paused, resumed, retried and settled, each as the command
// line sees it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, type Watched, watchPage } from '../support/browser.js';
import { hasTemporal } from '../support/temporal.js';
import { csv, film, image } from './support/manifest.js';
import { type Rig, type Running, startRig, until } from './support/rig.js';

const FILMS = Array.from({ length: 48 }, (_, i) => film(`s${i + 10}`));

describe.skipIf(!hasTemporal())('the dashboard beside an engine', () => {
  let rig: Rig;
  let browser: Browser;
  let page: Page;
  let watched: Watched;
  let served: Running;

  beforeAll(async () => {
    rig = await startRig({ speed: 100, emulator: { renderSeconds: { 'vendor-f': [400, 600] } } });
    served = rig.start(['dashboard', '--json']);
    const { url } = JSON.parse(await until('the address', () => served.stdout() || undefined)) as { url: string };
    browser = await launchBrowser();
    page = await browser.newPage();
    watched = watchPage(page);
    await page.goto(url);
    await page.getByText('No batch yet').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    served?.child.kill('SIGTERM');
    const ended = await served?.ended;
    await rig?.stop();
    expect([ended?.code, watched.violations, watched.hosts.size]).toEqual([0, [], 1]);
  });

  const status = async (batch: string) => JSON.parse((await rig.run(['status', batch, '--json'])).stdout);
  const confirm = async (label: string): Promise<string> => {
    await page.getByRole('button', { name: label, exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    const quote =
      (await dialog
        .getByText(/rows?,/)
        .first()
        .textContent()) ?? '';
    await dialog.getByRole('button', { name: label, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    return quote;
  };

  it('follows a batch without being loaded again; pause, resume and cancel are those of the command line', async () => {
    await rig.write('films.csv', csv(FILMS));
    const running = rig.start(['run', 'films.csv', '--yes']);
    await page.getByRole('link', { name: 'films' }).click({ timeout: 60_000 });
    await until('films render', () => rig.emulator.truth().jobs.length >= 10 || undefined);
    expect(await confirm('Pause')).toMatch(/^\d+ rows, no further credits$/);
    expect(await status('films')).toMatchObject({ state: 'paused' });
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await sleep(1_000);
    const submitted = rig.emulator.truth().jobs.length;
    expect(submitted).toBeLessThan(FILMS.length);
    expect(await confirm('Resume')).toMatch(/at most [\d.]+ credits$/);
    expect((await status('films')).state).not.toBe('paused');
    await page.getByRole('button', { name: 'Limits', exact: true }).click();
    await page.getByLabel(/^Simultaneous jobs/).fill('4');
    await page.getByLabel(/^Weight/).fill('7');
    await page.getByRole('dialog').getByRole('button', { name: 'Limits' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const limits = JSON.parse((await rig.run(['limits', 'films', '--json'])).stdout);
    expect(limits).toMatchObject({ concurrency: 4, weight: 7, priority: 0 });
    expect(await status('films')).toMatchObject({ state: 'running' });
    await confirm('Cancel');
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(1);
    await page.getByText('cancelled', { exact: true }).first().waitFor();
    const { counts } = await status('films');
    expect(counts.cancelled).toBeGreaterThan(0);
    expect(await confirm('Retry cancelled_by_user')).toMatch(new RegExp(`^${counts.cancelled} rows?, at most`));
    await until('all are done', async () => (await status('films')).counts.done === FILMS.length || undefined);
    expect(rig.emulator.truth().jobs).toHaveLength(FILMS.length);
  });

  it('settles a row that was lost, and the ledger says by whom and why', async () => {
    rig.emulator.setFaults([
      { match: { route: 'svc.image', nth: 1 }, action: { do: 'reset-before-answer', created: true } },
    ]);
    await rig.write('lost.csv', csv([image('l1', { width: '1000', height: '1000' })]));
    expect((await rig.run(['run', 'lost.csv', '--yes'])).code).toBe(3);
    rig.emulator.setFaults([]);
    await page.goto(`${page.url().split('#')[0]}#/b/lost`);
    await page.getByRole('rowheader').getByRole('link', { name: 'l1' }).click();
    await page.getByRole('button', { name: 'Submit it again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 row, at most 0.001 credits').waitFor();
    await dialog.getByLabel(/Why you decide so/).fill('the client waits');
    await dialog.getByRole('button', { name: 'Submit it again' }).click();
    await dialog.waitFor({ state: 'detached' });
    await until('it is done', async () => (await status('lost')).counts.done === 1 || undefined);
    const ledger = (await rig.run(['ledger', 'show', 'lost', 'l1', '--json'])).stdout;
    expect(ledger).toContain('the client waits');

    const before = rig.emulator.truth().jobs.length;
    await page.getByRole('button', { name: 'Render it again' }).click();
    await dialog.getByText('1 row, at most 0.001 credits').waitFor();
    await dialog.getByRole('button', { name: 'Render it again' }).click();
    await dialog.waitFor({ state: 'detached' });
    await until('it was rendered again', () => rig.emulator.truth().jobs.length > before || undefined);
    await until('it is done again', async () => (await status('lost')).counts.done === 1 || undefined);
    expect(rig.emulator.truth().jobs).toHaveLength(before + 1);

    expect((await rig.run(['engine', 'stop'])).code).toBe(0);
    await page.getByText('Resume, Retry and Approve start one').waitFor();
    await confirm('Render it again');
    await page.getByText('the order is recorded and not carried out yet').waitFor();
    await confirm('Resume');
    await until('an engine renders it', () => rig.emulator.truth().jobs.length > before + 1 || undefined);
    await page.getByText('Resume, Retry and Approve start one').waitFor({ state: 'detached' });
  });
});
