import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BookMessages, type Books, openBooks } from '../../books/open-books.js';
import { LIST_PRICE_PPB } from '../../books/prices/price-book.js';
import { type KnownPrices, rowPrice, withFollowUp } from '../../books/prices/row-price.js';
import { accountSettings } from '../../config/make-config.js';
import type { Config } from '../../config.js';
import type { CreditsRange } from '../../domain/money.js';
import type { PriceRule } from '../../domain/price.js';
import type { Row } from '../../domain/row.js';
import { type AccountRecords, openAccountRecords } from '../../home/account-records.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { readMeasuredPrices } from '../../home/learned.js';
import type { StoredRow } from '../../home/row-records.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { createPlaces } from '../../store/open-store.js';
import { type Store, StoreError } from '../../store/port.js';
import { askPerson } from '../ask-person.js';
import type { CommandConfig, Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';

/** The home of the settings' account. */
export interface HomeAccess extends AccountRecords {
  config: CommandConfig;
}

/** One batch of the account, as a command is about it. */
export interface BatchPlace {
  session: Session;
  access: HomeAccess;
  batch: string;
}

/** Opens the home of the settings' account; nothing is written. */
export function openHomeAccess(config: CommandConfig): HomeAccess {
  return { config, ...openAccountRecords(openPlace(config, config.home, 'private'), config.account.name) };
}

/** Opens a folder, or a bucket with the credentials of this process. */
export function openPlace(config: CommandConfig, location: string, access: 'private' | 'shared'): Store {
  return createPlaces({ settings: config.s3, environment: {} }, config.onLongRequest).openStore(location, access);
}

/** What results are made from, with this machine's clock. */
export function resultSources(access: HomeAccess) {
  const openStore = (location: string) => openPlace(access.config, location, 'shared');
  return { ...access, openStore, now: () => Date.now() };
}

/** Every row of a generation in its order, with its part. */
export async function* rowsOf(
  { rows }: Pick<HomeAccess, 'rows'>,
  batch: string,
  { generation, parts }: Pick<GenerationFacts, 'generation' | 'parts'>,
): AsyncIterable<StoredRow & { part: number }> {
  for (const part of parts.keys()) {
    for (const stored of await rows.readPart(batch, generation, part)) yield { ...stored, part };
  }
}

/** The prices that rows of a batch can be priced with: the user's own, and what the balance has shown. */
export async function knownPrices({ session, access: { home }, batch }: BatchPlace): Promise<KnownPrices> {
  const order = await readBatchOrder(home, batch);
  return { configured: pricesInForce(session, order) ?? [], measured: await readMeasuredPrices(home) };
}

/** What submitting a row costs without discounts, with what follows from it; null where that is not known. */
export function listPrice(row: Row, prices: KnownPrices): CreditsRange | null {
  return withFollowUp(row, rowPrice(row, prices, LIST_PRICE_PPB));
}

/** Those that a flag, the environment or a settings file gives now, before those that the batch was run with. */
export function pricesInForce(
  { config, origins }: Session,
  order: { prices?: readonly PriceRule[] } | undefined,
): readonly PriceRule[] | undefined {
  return origins.get('prices')?.name === 'default' ? order?.prices : config.prices;
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * The books of an account for a command, which reads and writes its home alone: without a worker there is no workflow to
 * send to, and whoever asks for one fails at once.
 */
export function recordBooks(access: HomeAccess): Books {
  const { config, ...records } = access;
  // Where no base URL is given nothing is sent either.
  const settings = accountSettings({ ...config, baseUrl: config.baseUrl ?? 'http://127.0.0.1' });
  return openBooks({ ...records, settings, messenger: {} as BookMessages, log: silent, now: () => Date.now() });
}

/**
 * Throws a UserError (exit 4) where the API key would go to an address that only the settings file of the working folder
 * names: such a file may have come with somebody else's project. It is trusted once the account was used with that
 * address, by a home that this file does not name either, or when a person says so at the terminal.
 */
export async function refuseStrangeBaseUrl(session: Session): Promise<void> {
  const { config, origins, cli } = session;
  const { baseUrl } = config;
  const found = origins.get('baseUrl');
  if (baseUrl === null || found?.name !== 'config file') return;
  const { home } = openHomeAccess(config);
  const isOwnHome = ['home', 'data'].every((path) => origins.get(path)?.name !== 'config file');
  const bound = isOwnHome ? await home.baseUrl() : undefined;
  if (bound === baseUrl) return;
  const where = found.where ?? 'callsheet.config.json';
  const account = `account '${config.account.name}'`;
  if (bound !== undefined) {
    throw new UserError(
      `${account} belongs to ${bound}, and ${where} names ${baseUrl}: use another --account for that service; the API key was not sent`,
      EXIT.configuration,
    );
  }
  const question = `${where} names the service's address: send the API key of ${account} to ${baseUrl}?`;
  if (cli.io.isInteractive && (await askPerson(cli.io, question))) {
    return isOwnHome ? home.bindBaseUrl(baseUrl) : undefined;
  }
  throw new UserError(
    `only ${where} names ${baseUrl}, with which ${account} was never used: say it with CALLSHEET_BASE_URL or --base-url; the API key was not sent`,
    EXIT.configuration,
  );
}

/** What an error of the output place means before anything was submitted (`B54`); other errors stay as they are. */
export function refusePlace(out: string, error: unknown): never {
  if (!(error instanceof StoreError)) throw error;
  // The message of a store names its place and the code as well.
  const why = error.message.replace(/^cannot (write|read|remove) .+?: /, '').replace(` (${error.code})`, '');
  throw new UserError(`B54 cannot write to ${out} (${error.code}): ${why}; nothing was submitted`, EXIT.configuration);
}

/**
 * When the worker of this data folder sent the account's requests, ascending epoch ms: the file in which it counts them.
 * It keeps the latest ones alone. There is none where the account is served elsewhere, and one that cannot be read, as
 * that of another user, counts nothing: what is shown is a figure that may be unknown.
 */
export async function sentRequests(data: string, account: string, sinceMs: number): Promise<number[]> {
  const text = await readFile(requestsFile(data, account), 'utf8').catch(() => '');
  const times = text.split('\n').filter((line) => /^\d+$/.test(line));
  return times
    .map(Number)
    .filter((atMs) => atMs >= sinceMs)
    .sort((a, b) => a - b);
}

/** Far more than a worker leaves in it: where none ever serves the account nobody else makes it short again. */
const REQUESTS_BYTES_MAX = 1_000_000;

/** Counts a request of this command's own where the worker of this data folder counts its. */
export async function noteRequest({ data, account }: Pick<Config, 'data' | 'account'>): Promise<void> {
  try {
    const file = requestsFile(data, account.name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    await (size < REQUESTS_BYTES_MAX ? appendFile : writeFile)(file, `${Date.now()}\n`, { mode: 0o600 });
  } catch {
    // Nobody counts in a folder that cannot be written.
  }
}

function requestsFile(data: string, account: string): string {
  return join(data, 'requests', `${account}.log`);
}

/** A minute and a second, and one request kept free: the window in which the worker counts. */
const WINDOW_MS = 61_000;
const RESERVE = 1;

/** Whether the next request has to wait for its turn; false where nobody counts here. */
export async function isMinuteFull({ data, account }: Config, rpm: number | null, nowMs: number): Promise<boolean> {
  if (rpm === null) return false;
  const sentMs = await sentRequests(data, account.name, nowMs - WINDOW_MS);
  return sentMs.length >= Math.max(1, rpm - RESERVE);
}
