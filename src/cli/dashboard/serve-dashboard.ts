import { randomBytes } from 'node:crypto';
import { chmod, open, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { isAllAddresses, type OtherPlace } from '../../dashboard/places.js';
import { type Dashboard, PAGE_NOT_BUILT, startDashboard } from '../../dashboard/server.js';
import { fileReason } from '../../domain/file-reason.js';
import { makeTempFolder, refuseTempFolder } from '../../manifest/temp-folder.js';
import { packageRoot } from '../../package-root.js';
import { html } from '../../report/html.js';
import { openPage } from '../open-page.js';
import { commandHint } from '../open-session.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { keepRecord, newUrl, type RecordPlace } from './dashboard-record.js';
import { createDashboardSource } from './dashboard-source.js';

interface ServeOptions {
  port: number;
  isOpened: boolean;
  /** The flags of this command that the orders of the page repeat. */
  settings: readonly string[];
  /** Besides 127.0.0.1. */
  other: (OtherPlace & { secret: string }) | undefined;
}

/** Serves the page until it is told to end; a record lets the same user ask for further addresses. */
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
  const { address } = dashboard;
  const removeRecord = await keepRecord(recordPlace(session), { address, controlSecret }).catch(async (error) => {
    await dashboard.close();
    throw error;
  });
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
  await removeRecord();
  if (opened !== undefined) await rm(opened, { recursive: true, force: true });
}

function unservedSentence(error: unknown, port: number, other: ServeOptions['other']): string {
  const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  if (why === PAGE_NOT_BUILT) {
    return `the page is not built: run \`npm run build\` in ${packageRoot}, then the same command again`;
  }
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

/** Asks the dashboard that runs for a new code. */
export async function printNewUrl(session: Session): Promise<void> {
  const url = await newUrl(recordPlace(session));
  if (url === undefined) {
    const start = commandHint(session, 'dashboard');
    throw new UserError(`no dashboard runs for account '${session.config.account.name}': \`${start}\` starts one`);
  }
  if (session.isJson) session.terminal.json({ schema: 1, event: 'dashboard', url });
  else session.terminal.data(url);
}

function recordPlace({ config }: Session): RecordPlace {
  return { data: config.data, account: config.account.name };
}

/** The address goes through a file that nobody else can read, never through a process's arguments. */
async function openByFile(session: Session, dashboard: Dashboard): Promise<string> {
  const folder = await makeTempFolder('callsheet-dashboard-');
  await chmod(folder, 0o700);
  const file = join(folder, 'open.html');
  const { text } =
    html`<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${dashboard.newUrl()}"><title>callsheet</title>`;
  await writeFile(file, text, { mode: 0o600 }).catch(refuseTempFolder);
  await openPage(session, file, text);
  return folder;
}

/** `--listen` and what goes with it. */
interface ListenFlags {
  listen?: string;
  secretFile?: string;
  host?: string[];
}

const SECRET_MIN = 32;
const SECRET_BYTES_MAX = 4096;
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;

/** Where else the page is to be served, with the secret that opens it; undefined for 127.0.0.1 alone. */
export async function otherPlace(
  flags: ListenFlags,
  cwd: string,
): Promise<(OtherPlace & { secret: string }) | undefined> {
  const { listen: address, secretFile, host: names = [] } = flags;
  if (address === undefined) {
    if (secretFile === undefined && names.length === 0) return undefined;
    throw new UserError(`${secretFile === undefined ? '--host' : '--secret-file'} goes with --listen ADDRESS`);
  }
  if (isIP(address) === 0) {
    throw new UserError(`--listen must be an IP address of this machine, got '${address.slice(0, 80)}'`);
  }
  for (const name of names) {
    if (!HOST.test(name))
      throw new UserError(`--host must be a name such as films.example.com, got '${name.slice(0, 80)}'`);
  }
  if (isAllAddresses(address) && names.length === 0) {
    throw new UserError(`--listen ${address} stands for every address: name by --host what browsers open`);
  }
  if (secretFile === undefined) {
    throw new UserError('--listen opens the page to other machines: name by --secret-file the file of a secret');
  }
  return { address, names, secret: await readSecret(resolve(cwd, secretFile)) };
}

async function readSecret(file: string): Promise<string> {
  const handle = await open(file, 'r').catch((error: unknown) =>
    refuse(`the file of --secret-file cannot be read: ${fileReason(error)}`),
  );
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) return refuse('--secret-file must name a file');
    // Windows has no such bits; its files are private to the user by their folder.
    if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0) {
      return refuse('the file of --secret-file can be read or changed by other users of this machine: chmod 600 it');
    }
    if (facts.size > SECRET_BYTES_MAX) return refuse('the file of --secret-file is too large to be a secret');
    // Editors end a file with a line break, and a person who types the secret adds none.
    const secret = (await handle.readFile('utf8')).replace(/\r?\n$/, '');
    if (/[\s\p{Cc}]/u.test(secret)) return refuse('the secret of --secret-file must be one line without blanks');
    if (secret.length >= SECRET_MIN) return secret;
    return refuse(
      `the secret of --secret-file has less than ${SECRET_MIN} characters: openssl rand -base64 32 makes one`,
    );
  } finally {
    await handle.close();
  }
}

function refuse(message: string): never {
  throw new UserError(message, EXIT.configuration);
}
