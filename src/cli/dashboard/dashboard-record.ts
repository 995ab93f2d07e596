import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CONTROL_HEADER } from '../../dashboard/server.js';
import { EXIT, UserError } from '../user-error.js';

/**
 * By records of mode 0600 in the data folder the same user asks a dashboard that runs for further addresses. The first
 * of an account keeps `dashboard-<account>.json`; one that is started beside it keeps a record of its own, by its port.
 */

const recordSchema = z.object({
  address: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/),
  controlSecret: z.string(),
});
type DashboardRecord = z.output<typeof recordSchema>;

export interface RecordPlace {
  data: string;
  account: string;
}

const ANSWER_MS = 5_000;
const CODE = /^[\w-]{1,200}$/;

/** Gives what takes the record away again. Throws a UserError where it cannot be kept. */
export async function keepRecord(place: RecordPlace, record: DashboardRecord): Promise<() => Promise<void>> {
  const text = JSON.stringify(record);
  const first = firstFile(place);
  try {
    // As whoever else makes it: only its user enters the folder of the home.
    await mkdir(place.data, { recursive: true, mode: 0o700 });
    for (const file of await recordFiles(place)) await removeIfGone(file);
    const file = (await isWritten(first, text)) ? first : fileOfPort(place, record);
    if (file !== first) {
      // A port has one dashboard at a time: what stands there is of an earlier one.
      await rm(file, { force: true });
      await isWritten(file, text);
    }
    return async () => {
      if ((await textOf(file).catch(() => undefined)) === text) await rm(file, { force: true });
    };
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UserError(
      `the dashboard keeps its address in ${first}, which cannot be read or written (${why})`,
      EXIT.configuration,
    );
  }
}

/** An address with a new code, of a dashboard that lives; undefined where none does. */
export async function newUrl(place: RecordPlace): Promise<string | undefined> {
  for (const file of await recordFiles(place)) {
    const record = recordOf(await textOf(file).catch(() => undefined));
    const answer = record && (await askForUrl(record));
    if (typeof answer === 'object') return answer.url;
  }
  return undefined;
}

/** `gone`: nobody has the port any more, or somebody else; `silent`: no answer came in time. */
async function askForUrl({ address, controlSecret }: DashboardRecord): Promise<{ url: string } | 'gone' | 'silent'> {
  try {
    const answer = await fetch(`${address}/control/url`, {
      method: 'POST',
      headers: { [CONTROL_HEADER]: controlSecret },
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const { url } = z.object({ url: z.string() }).parse(await answer.json());
    const [where, code = ''] = url.split('/#code=', 2);
    // Whoever took the port of a dashboard that was killed may say anything.
    return where === address && url === `${address}/#code=${code}` && CODE.test(code) ? { url } : 'gone';
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'gone';
  }
}

/** A dashboard that was killed leaves its record. */
async function removeIfGone(file: string): Promise<void> {
  const text = await textOf(file);
  const record = recordOf(text);
  if (record === undefined || (await askForUrl(record)) !== 'gone') return;
  // Another one that starts now may have taken its place meanwhile.
  if ((await textOf(file)) === text) await rm(file, { force: true });
}

/** Undefined where there is none. */
async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function recordOf(text: string | undefined): DashboardRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}

/** False where the name is taken: a record is never written over. */
async function isWritten(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The first one's, then those of others: no name of an account has an `@`. */
async function recordFiles(place: RecordPlace): Promise<string[]> {
  const names = await readdir(place.data).catch(() => []);
  const others = names.filter((name) => name.startsWith(`dashboard-${place.account}@`) && name.endsWith('.json'));
  return [firstFile(place), ...others.sort().map((name) => join(place.data, name))];
}

function firstFile({ data, account }: RecordPlace): string {
  return join(data, `dashboard-${account}.json`);
}

function fileOfPort({ data, account }: RecordPlace, { address }: DashboardRecord): string {
  return join(data, `dashboard-${account}@${new URL(address).port || '80'}.json`);
}
