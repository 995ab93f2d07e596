import { createServer } from 'node:net';
import { hasFfmpeg } from '../../../activities/files/film-frame.js';
import { accountSettings } from '../../config/account-settings.js';
import type { Config } from '../../config.js';
import { formatCredits } from '../../domain/money.js';
import { isS3Address } from '../../domain/s3.js';
import { engineStatus } from '../../engine/engine-client.js';
import { lookForTemporalCli } from '../../engine/temporal-cli.js';
import { lookOverDocuments } from '../../home/verify-documents.js';
import { StoreError } from '../../store/port.js';
import { readOwnCredits } from '../access/account-reads.js';
import { openHomeAccess, openPlace } from '../access/home-access.js';
import { sharedAddress } from '../access/work-access.js';
import { commandHint } from '../hints.js';
import { buildId } from '../product.js';
import type { Session } from '../session.js';
import { amount } from '../views/counts.js';
import { clockSkewMs } from './clock-skew.js';

/** One thing that was looked at. `finding` says what is, `advice` what to do. */
export interface Check {
  name: string;
  result: 'ok' | 'warn' | 'fail';
  finding: string;
  advice?: string;
}

type Finding = Omit<Check, 'name'>;

const DISK_LOW_BYTES = 2 * 1024 ** 3;
const RECORDS_MS = 5_000;
const SKEW_MAX_MS = 5_000;
const NODE_MIN = [20, 19] as const;

/** Runs every check in order and hands each on as it is known. */
export async function runChecks(session: Session, onCheck: (check: Check) => void): Promise<Check[]> {
  const { config } = session;
  const all: [string, () => Promise<Finding> | Finding][] = [
    ['node', checkNode],
    ['temporal', () => checkTemporal(session)],
    ['engine', () => checkEngine(session)],
    ['ports', checkPorts],
    ['data', () => checkPlace(config, config.data, 'private', '--data')],
    ['home', () => checkPlace(config, config.home, 'private', '--home')],
    ['records', () => checkRecords(session)],
    ['out', () => checkPlace(config, config.out, 'shared', '--out')],
    ['key', () => checkKey(session)],
    ['service', () => checkService(session)],
    ['clock', () => checkClock(session)],
    ['ffmpeg', checkFfmpeg],
  ];
  const checks: Check[] = [];
  for (const [name, look] of all) {
    const check: Check = { name, ...(await found(look)) };
    checks.push(check);
    onCheck(check);
  }
  return checks;
}

async function found(look: () => Promise<Finding> | Finding): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    return { result: 'fail', finding: (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '' };
  }
}

function checkFfmpeg(): Finding {
  if (hasFfmpeg()) return { result: 'ok', finding: 'frames of films can be taken, and reports show them' };
  const advice = 'install it for `@id:last` in manifests and for pictures of films in reports';
  return { result: 'warn', finding: 'not installed', advice };
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isGood = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  const finding = `Node ${process.versions.node}`;
  return isGood ? { result: 'ok', finding } : { result: 'fail', finding, advice: 'install Node 20.19 or newer' };
}

function checkTemporal(session: Session): Finding {
  const address = sharedAddress(session);
  if (address !== undefined) return { result: 'ok', finding: `a shared Temporal at ${address} is used` };
  const cli = lookForTemporalCli();
  if ('path' in cli) return { result: 'ok', finding: `server ${cli.serverVersion} from ${cli.source}, ${cli.path}` };
  const why = cli.rejected.length === 0 ? 'no Temporal server program' : cli.rejected.join('; ');
  return { result: 'warn', finding: why, advice: 'the first run gets one, or set CALLSHEET_TEMPORAL_CLI to it' };
}

async function checkEngine(session: Session): Promise<Finding> {
  const address = sharedAddress(session);
  if (address !== undefined) {
    const { joinWork } = await import('../access/work-access.js');
    const { unservedText } = await import('../access/served.js');
    const work = await joinWork(session);
    const unserved = work && (await unservedText(session, work));
    await work?.close();
    if (unserved !== undefined) return { result: 'fail', finding: `Temporal answers, but ${unserved}` };
    return { result: 'ok', finding: `Temporal answers at ${address}, and a worker serves the account` };
  }
  const state = await engineStatus(session.config.data);
  if (state === undefined) return { result: 'ok', finding: 'none runs; `callsheet run` starts one' };
  if (state.buildId !== buildId()) {
    return {
      result: 'warn',
      finding: `process ${state.pid} is of another build`,
      advice: 'end it with `callsheet engine stop`',
    };
  }
  return {
    result: 'ok',
    finding: `process ${state.pid}, ${state.state}, ${state.openBatches === null ? 'open batches unknown' : amount(state.openBatches, 'open batch', 'open batches')}`,
  };
}

/** The engine takes free ports of this machine's loopback address. */
async function checkPorts(): Promise<Finding> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  await new Promise((resolve) => server.close(resolve));
  return { result: 'ok', finding: 'free ports on 127.0.0.1' };
}

async function checkPlace(
  config: Config,
  location: string,
  access: 'private' | 'shared',
  flag: string,
): Promise<Finding> {
  const store = openPlace(config, location, access);
  try {
    await store.probe();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { result: 'fail', finding: error.message, advice: `mend it or choose another place with ${flag}` };
  }
  if (isS3Address(location)) {
    return { result: 'ok', finding: `${location} can be written, and refuses a second writer of one name` };
  }
  const free = await store.freeBytes();
  const shown = free === undefined ? 'free space unknown' : `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  const finding = `${location} can be written, ${shown}`;
  if (free === undefined || free >= DISK_LOW_BYTES) return { result: 'ok', finding };
  return { result: 'warn', finding, advice: 'make room before a large batch' };
}

/** A home of millions of rows is not read to its end: `ledger verify` does that. */
async function checkRecords(session: Session): Promise<Finding> {
  const { home } = openHomeAccess(session.config);
  const untilMs = Date.now() + RECORDS_MS;
  const { documents, damaged, shown } = await lookOverDocuments(home, () => Date.now() < untilMs);
  if (damaged === 0) return { result: 'ok', finding: `${documents} documents of the home were read, none is damaged` };
  const finding = `${damaged} of ${documents} documents of the home cannot be read, the first is ${shown[0]?.key}`;
  return { result: 'warn', finding, advice: commandHint(session, 'ledger repair') };
}

async function checkKey(session: Session): Promise<Finding> {
  const { origin } = await session.apiKey();
  return { result: 'ok', finding: `has the right form (${origin})` };
}

async function checkService(session: Session): Promise<Finding> {
  const { baseUrl } = accountSettings(session.config);
  const read = await readOwnCredits(session);
  const caps = `${read.concurrentLimit} jobs at once, ${read.rpmLimit} requests per minute`;
  const finding = `${baseUrl} accepts the key: ${formatCredits(read.creditsRemainingNano)} credits, plan ${read.planLevel}, ${caps}`;
  if (read.creditsRemainingNano > 0) return { result: 'ok', finding };
  return { result: 'warn', finding, advice: 'add credits before a run' };
}

async function checkClock(session: Session): Promise<Finding> {
  const { baseUrl } = session.config;
  if (baseUrl === null) return { result: 'warn', finding: 'not compared: there is no base URL' };
  const skewMs = await clockSkewMs(baseUrl);
  if (skewMs === undefined) return { result: 'warn', finding: 'unknown: the service does not say what time it is' };
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  const finding = `${seconds} s ${skewMs >= 0 ? 'ahead of' : 'behind'} the service`;
  if (Math.abs(skewMs) <= SKEW_MAX_MS) return { result: 'ok', finding };
  return { result: 'warn', finding, advice: 'let this machine set its clock by the network' };
}
