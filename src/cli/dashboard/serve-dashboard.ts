import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { OtherPlace } from '../../dashboard/places.js';
import { CONTROL_HEADER, type Dashboard, startDashboard } from '../../dashboard/server.js';
import { html } from '../../report/html.js';
import { EXIT } from '../exit-codes.js';
import { commandHint } from '../hints.js';
import { openPage } from '../open-page.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { createDashboardSource } from './dashboard-source.js';

export interface ServeOptions {
  port: number;
  isOpened: boolean;
  /** The flags of this command that the orders of the page repeat. */
  settings: readonly string[];
  /** Besides 127.0.0.1. */
  other: (OtherPlace & { secret: string }) | undefined;
}

/** Serves the page until it is told to end; a record of mode 0600 lets the same user ask for further addresses. */
export async function serveDashboard(
  session: Session,
  { port, isOpened, settings, other }: ServeOptions,
): Promise<void> {
  const { terminal, isJson, cli } = session;
  const controlSecret = randomBytes(32).toString('base64url');
  const source = createDashboardSource(session, settings);
  const dashboard = await startDashboard({ source, port, controlSecret, ...(other && { other }) }).catch(
    (error: unknown) => {
      throw new UserError(unservedSentence(error, port, other), EXIT.configuration);
    },
  );
  const told = new Promise<void>((resolve) => {
    for (const on of [cli.io.onInterrupt, cli.io.onTerminate]) on(resolve);
  });
  const record = await keepRecord(session, { address: dashboard.address, controlSecret });
  const url = dashboard.newUrl();
  const elsewhere = dashboard.otherUrls;
  const others = elsewhere.length === 0 ? {} : { otherUrls: [...elsewhere] };
  if (isJson) terminal.json({ schema: 1, event: 'dashboard', url, ...others });
  else terminal.data(url);
  if (other !== undefined) terminal.warn(openSentence(elsewhere));
  terminal.note(
    `good once and for 10 minutes; \`${commandHint(session, 'dashboard --url')}\` prints another; Ctrl-C ends it`,
  );
  const opened = isOpened ? await openByFile(session, dashboard) : undefined;
  await told;
  await dashboard.close();
  await rm(record, { force: true });
  if (opened !== undefined) await rm(opened, { recursive: true, force: true });
}

function unservedSentence(error: unknown, port: number, other: ServeOptions['other']): string {
  const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  const elsewhere = other === undefined ? '' : ` and ${other.address}`;
  const remedy = why === 'EADDRNOTAVAIL' ? '--listen must be an address of this machine' : 'take another --port';
  return `the page cannot be served on 127.0.0.1${elsewhere}, port ${port} (${why}): ${remedy}`;
}

function openSentence(urls: readonly string[]): string {
  return (
    `also served at ${urls.join(' and ')} for whoever has the secret; plain HTTP can be read and changed on its way, ` +
    'so let others reach it behind TLS only (docs/operations.md, "The dashboard")'
  );
}

const recordSchema = z.object({ address: z.string().startsWith('http://127.0.0.1:'), controlSecret: z.string() });

/** Asks the dashboard that runs for a new code. */
export async function printNewUrl(session: Session): Promise<void> {
  const url = await newUrl(recordFile(session));
  if (url === undefined) {
    const start = commandHint(session, 'dashboard');
    throw new UserError(`no dashboard runs for account '${session.config.account.name}': \`${start}\` starts one`);
  }
  if (session.isJson) session.terminal.json({ schema: 1, event: 'dashboard', url });
  else session.terminal.data(url);
}

async function newUrl(file: string): Promise<string | undefined> {
  try {
    const { address, controlSecret } = recordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    const answer = await fetch(`${address}/control/url`, {
      method: 'POST',
      headers: { [CONTROL_HEADER]: controlSecret },
      redirect: 'error',
    });
    return answer.ok ? z.object({ url: z.string() }).parse(await answer.json()).url : undefined;
  } catch {
    // No record, one that cannot be read, or one of a dashboard that is gone.
    return undefined;
  }
}

function recordFile({ config }: Session): string {
  return join(config.data, `dashboard-${config.account.name}.json`);
}

async function keepRecord(session: Session, record: z.output<typeof recordSchema>): Promise<string> {
  const file = recordFile(session);
  await mkdir(session.config.data, { recursive: true });
  await rm(file, { force: true });
  await writeFile(file, JSON.stringify(record), { mode: 0o600, flag: 'wx' });
  return file;
}

/** The address goes through a file that nobody else can read, never through a process's arguments. */
async function openByFile(session: Session, dashboard: Dashboard): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-dashboard-'));
  await chmod(folder, 0o700);
  const file = join(folder, 'open.html');
  const { text } =
    html`<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${dashboard.newUrl()}"><title>callsheet</title>`;
  await writeFile(file, text, { mode: 0o600 });
  await openPage(session, file, text);
  return folder;
}
