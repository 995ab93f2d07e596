import { createServer } from 'node:net';
import { formatConfigProblem } from '../../config/config-error.js';
import { accountSettings } from '../../config/make-config.js';
import type { Config } from '../../config.js';
import { defined } from '../../domain/defined.js';
import { formatCredits } from '../../domain/money.js';
import { isS3Address } from '../../domain/s3.js';
import { engineStatus } from '../../engine/engine-client.js';
import { lookForTemporalCli } from '../../engine/start-detached.js';
import { lookOverDocuments } from '../../home/verify-documents.js';
import { StoreError } from '../../store/port.js';
import { openHomeAccess, openPlace } from '../access/home-access.js';
import { readOwnCredits } from '../access/read-account.js';
import { framesTaken, unservedText } from '../access/seen-workers.js';
import { encryptionText } from '../access/shared-place.js';
import { earlyEndForAny } from '../access/signing.js';
import { joinWork } from '../access/work-access.js';
import { buildId, sharedAddress } from '../access/work-place.js';
import { commandHint } from '../open-session.js';
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
    ['ffmpeg', () => checkFfmpeg(session)],
  ];
  const { problems } = session;
  // Places and addresses that contradict each other may be none that anybody meant: nothing is written or asked there.
  const isPolicy = problems.every(({ code }) => code === 'B53');
  const looks = isPolicy ? all : all.filter(([name]) => ['node', 'ports'].includes(name));
  const wrong = problems.map((problem): (typeof all)[number] => [
    'settings',
    () => ({ result: 'fail', finding: formatConfigProblem(problem) }),
  ]);
  const checks: Check[] = [];
  for (const [name, look] of [...wrong, ...looks]) {
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

function ok(finding: string): Finding {
  return { result: 'ok', finding };
}

function warn(finding: string, advice?: string): Finding {
  return { result: 'warn', finding, ...defined({ advice }) };
}

async function checkFfmpeg(session: Session): Promise<Finding> {
  const taken = await framesTaken(session);
  const use = 'for `@id:last` in manifests and for pictures of films in reports';
  const isShared = sharedAddress(session) !== undefined;
  if (taken === 'unknown') return warn('unknown: no worker is seen that could say so', `workers need it ${use}`);
  if (!taken) return warn(isShared ? 'no worker has it' : 'not installed', `install it ${use}`);
  return ok(isShared ? 'a worker takes frames of films' : 'frames of films can be taken, and reports show them');
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isGood = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  const finding = `Node ${process.versions.node}`;
  return isGood ? ok(finding) : { result: 'fail', finding, advice: 'install Node 20.19 or newer' };
}

async function checkTemporal(session: Session): Promise<Finding> {
  const address = sharedAddress(session);
  if (address !== undefined) return ok(`a shared Temporal at ${address} is used${await encryptionText(session)}`);
  const cli = lookForTemporalCli();
  if ('path' in cli) return ok(`server ${cli.serverVersion} from ${cli.source}, ${cli.path}`);
  const why = cli.rejected.join('; ') || 'no Temporal server program';
  return warn(why, 'the first run gets one, or set CALLSHEET_TEMPORAL_CLI to it');
}

async function checkEngine(session: Session): Promise<Finding> {
  const address = sharedAddress(session);
  if (address !== undefined) {
    const work = await joinWork(session);
    const unserved = work && (await unservedText(session, work));
    await work?.close();
    if (unserved !== undefined) return { result: 'fail', finding: `Temporal answers, but ${unserved}` };
    return ok(`Temporal answers at ${address}, and a worker serves the account`);
  }
  const state = await engineStatus(session.config.data);
  if (state === undefined) return ok('none runs; `callsheet run` starts one');
  const { pid, openBatches } = state;
  if (state.buildId !== buildId()) {
    return warn(`process ${pid} is of another build`, 'end it with `callsheet engine stop`');
  }
  const open = openBatches === null ? 'open batches unknown' : amount(openBatches, 'open batch', 'open batches');
  return ok(`process ${pid}, ${state.state}, ${open}`);
}

/** The engine takes free ports of this machine's loopback address. */
async function checkPorts(): Promise<Finding> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  await new Promise((resolve) => server.close(resolve));
  return ok('free ports on 127.0.0.1');
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
    const tooShort = await earlyEndForAny(config);
    if (tooShort !== undefined) return warn(`${location} can be written; ${tooShort}`, 'use ones that live longer');
    return ok(`${location} can be written, and refuses a second writer of one name`);
  }
  const free = await store.freeBytes();
  const shown = free === undefined ? 'free space unknown' : `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  const finding = `${location} can be written, ${shown}`;
  return free === undefined || free >= DISK_LOW_BYTES ? ok(finding) : warn(finding, 'make room before a large batch');
}

/** A home of millions of rows is not read to its end: `ledger verify` does that. */
async function checkRecords(session: Session): Promise<Finding> {
  const { home } = openHomeAccess(session.config);
  const untilMs = Date.now() + RECORDS_MS;
  const { documents, damaged, shown } = await lookOverDocuments(home, () => Date.now() < untilMs);
  if (damaged === 0) return ok(`${documents} documents of the home were read, none is damaged`);
  const finding = `${damaged} of ${documents} documents of the home cannot be read, the first is ${shown[0]?.key}`;
  return warn(finding, commandHint(session, 'ledger repair'));
}

async function checkKey(session: Session): Promise<Finding> {
  return ok(`has the right form (${(await session.apiKey()).origin})`);
}

async function checkService(session: Session): Promise<Finding> {
  const { baseUrl } = accountSettings(session.config);
  const read = await readOwnCredits(session);
  const caps = `${read.concurrentLimit} jobs at once, ${read.rpmLimit} requests per minute`;
  const finding = `${baseUrl} accepts the key: ${formatCredits(read.creditsRemainingNano)} credits, plan ${read.planLevel}, ${caps}`;
  return read.creditsRemainingNano > 0 ? ok(finding) : warn(finding, 'add credits before a run');
}

async function checkClock(session: Session): Promise<Finding> {
  const { baseUrl } = session.config;
  if (baseUrl === null) return warn('not compared: there is no base URL');
  const skewMs = await clockSkewMs(baseUrl);
  if (skewMs === undefined) return warn('unknown: the service does not say what time it is');
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  const finding = `${seconds} s ${skewMs >= 0 ? 'ahead of' : 'behind'} the service`;
  if (Math.abs(skewMs) <= SKEW_MAX_MS) return ok(finding);
  return warn(finding, 'let this machine set its clock by the network');
}
