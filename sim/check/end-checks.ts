import { createHash } from 'node:crypto';
import type { Kind } from '../../src/domain/kind.js';
import { BALANCE_TOLERANCE_NANO } from '../../src/domain/money.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { Group } from '../../src/home/verdicts.js';
import { longestRenderMs, SYNC_MAX_MS } from '../assumptions.js';
import { EPOCH_MS } from '../engine/current.js';
import { type PlannedRow, rowKindOf, rowName } from '../rows.js';
import type { Scenario } from '../scenario.js';
import { costNano, type SimService } from '../service.js';
import { originalOf } from './copies.js';
import type { LedgerWatch } from './ledger-watch.js';

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Checks when everything has ended: I3 (every claim ends), I7, I11 for rows, I21. */

export interface Ended {
  scenario: Scenario;
  service: SimService;
  ledger: LedgerWatch;
  /** When each row's record was written last, and the record. */
  records: Map<string, { atMs: number; record: RowRecord }>;
  groups: Group[];
  /** Rows whose file a person changed. */
  changed: Set<string>;
  readOutput(key: string): Uint8Array | undefined;
  report: (rule: string, what: string) => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LIVENESS_SLACK_MS = 15 * MINUTE_MS;
/** A claim that nobody saw end may be held for as long as a synchronous call may last before it counts. */
const HELD_MAX_MS = 16 * MINUTE_MS;

export function checkEnd(ended: Ended): void {
  for (const planned of ended.scenario.rows) {
    const row = rowName(planned);
    const found = ended.records.get(row);
    // A row that was never opened has none: its end stands in the results alone.
    if (!found) continue;
    checkClaims(ended, row, found.record);
    checkFile(ended, planned, found.record);
    checkCredits(ended, row, found.record);
    // What waits for credits or a key until its batch is cancelled waits for a person.
    const isCancelled = found.record.reasonCode === 'cancelled_by_user';
    if (!isCancelled) checkTime(ended, row, planned.kind, found.record.finishedAtMs - EPOCH_MS);
  }
  checkGroups(ended);
}

function checkClaims({ service, ledger, report }: Ended, row: string, record: RowRecord): void {
  for (const attempt of ledger.attemptsOf(row)) {
    const last = attempt.states.at(-1)?.state.state;
    // Only the worker whose claim the disk kept, and did not confirm, knows that nothing was sent. A cancel that another
    // worker carries out before its next try leaves the claim to the next start, which weighs it as a case.
    const isSent = service.posts.some((post) => post.row === row && post.attempt === attempt.n);
    if (last === 'intent' && record.reasonCode === 'cancelled_by_user' && !isSent) continue;
    if (last === 'intent' || last === 'unknown' || last === 'created_lost') {
      report('I3', `${row} ended, and attempt ${attempt.n} is still '${last}'`);
    }
  }
}

function checkFile(ended: Ended, planned: PlannedRow, record: RowRecord) {
  const { scenario, service, changed, readOutput, report } = ended;
  const row = rowName(planned);
  if (record.status !== 'done' || changed.has(row)) return;
  const [file] = record.files;
  const bytes = file && readOutput(`${row.split('/', 1)[0]}/${file.file}`);
  if (!file || !bytes) return report('I7', `${row} is done without its file`);
  if (bytes.length !== file.bytes || sha256Of(bytes) !== file.sha256)
    report('I7', `${row}: the file is not the recorded one`);
  const renderers = [row, originalOf(scenario, planned)];
  const isOurs = service.jobs.some(
    (job) => renderers.includes(job.row) && job.record.outputs[0]?.sha256 === file.sha256,
  );
  if (!isOurs) report('I7', `${row}: the file is not what the service made for it`);
}

/** Where prices are exact, what a row is said to have cost is what it cost. */
function checkCredits({ scenario, service, ledger, report }: Ended, row: string, record: RowRecord): void {
  const { faults, broken } = scenario;
  if (ledger.attemptsOf(row).some(({ n }) => ledger.groupOf(row, n) !== undefined)) return;
  if (broken || faults.discount > 0 || faults.followUp > 0 || record.creditsNano === undefined) return;
  const spent = service.jobs.filter((job) => job.row === row).reduce((sum, job) => sum + costNano(job), 0);
  // A verdict rests on assumptions and is judged by itself (I10).
  const isOff = Math.abs(record.creditsNano - spent) > BALANCE_TOLERANCE_NANO;
  if (record.status === 'done' && isOff) {
    report('I11', `${row} is said to have cost ${record.creditsNano}, it cost ${spent}`);
  }
}

/**
 * I21: within Dmax + Θ + 2Λ + 15 min of the last submit, once the faults are over. A case that is due may wait for the
 * quiet of its hour and as long as a refund may take, cases of one price for the last of them.
 */
function checkTime({ scenario, ledger, report }: Ended, row: string, kind: Kind, endedAtMs: number): void {
  const attempts = ledger.attemptsOf(row);
  const lastMs = Math.max(...attempts.map((attempt) => attempt.states[0]?.atMs ?? 0));
  const last = attempts.at(-1)?.states.at(-1)?.state;
  // What the account had no credits for waits until a person buys some, and need not be sent again then; so does what was
  // not sent before, whatever a worker that died has left of it.
  if (last === undefined || last.state === 'void' || (last.state === 'refused' && last.next === 'pause_credits'))
    return;
  const { waits, starts, faultsEndMs } = scenario;
  const isCall = rowKindOf(kind).charge === 'at-success';
  const longestMs = isCall ? SYNC_MAX_MS : longestRenderMs(kind, waits);
  const troubleMs = faultsEndMs - Math.max(...starts.values());
  const calmMs = Math.max(
    lastMs,
    ...[...starts.values()].map((at) => at + troubleMs).filter((at) => at < lastMs + troubleMs),
  );
  const hadCase = attempts.some(({ states }) => states.some(({ state }) => state.state === 'verdict'));
  const cases = ledger.verdicts.filter((one) => Math.abs(one.claimedAtMs - lastMs) < 3 * HOUR_MS);
  const dueMs = !hadCase ? 0 : HELD_MAX_MS + waits.rhoMs + (cases.length > 1 ? 4 * HOUR_MS : HOUR_MS + 10 * MINUTE_MS);
  const limitMs = calmMs + longestMs + waits.thetaMs + 2 * waits.lambdaMs + LIVENESS_SLACK_MS + dueMs;
  if (endedAtMs > limitMs) report('I21', `${row} ended ${Math.round((endedAtMs - limitMs) / 1_000)} s too late`);
}

/** I1 and I10 of those that were settled by count: never more billed than rows that end done or lost_paid. */
function checkGroups({ scenario, ledger, service, records, groups, report }: Ended): void {
  for (const [group, names] of joinedGroups(groups)) {
    const latest = new Map(ledger.verdicts.map((one) => [`${one.row}/${one.n}`, one]));
    const members = [...latest].flatMap(([name, one]) => (names.has(name) ? one : []));
    const rows = [...new Set(members.map(({ row }) => row))];
    const paid = service.jobs.filter((job) => rows.includes(job.row) && costNano(job) > 0).length;
    // What was sent again and lost once more is a person's to settle, and says so.
    const isAsked = (row: string): boolean => !names.has(`${row}/${ledger.attemptsOf(row).at(-1)?.n}`);
    const ended = rows.filter((row) => {
      const { status = '' } = records.get(row)?.record ?? {};
      return ['done', 'lost_paid'].includes(status) || (status === 'review' && isAsked(row));
    }).length;
    if (paid > ended)
      report('I1', `group ${group}: ${paid} jobs are billed, ${ended} of ${rows.length} rows have them`);
    const posts = service.posts.filter((post) => members.some(({ row, n }) => row === post.row && n === post.attempt));
    const billed = posts.filter((post) => post.jobs.some((job) => costNano(job) > 0)).length;
    const said = members.filter(({ verdict }) => verdict === 'billed').length;
    if (billed > said && scenario.broken === undefined)
      report('I10', `group ${group}: ${billed} of ${members.length} were billed, ${said} are said to be`);
  }
}

/** Groups by an id of theirs, with the names of all that were counted together, those of an earlier count included. */
function joinedGroups(groups: Group[]): Map<string, Set<string>> {
  const joined = new Map<string, Set<string>>();
  for (const { id, members, beside = [] } of groups) {
    const names = new Set([...members, ...beside]);
    for (const [other, known] of joined) {
      if (![...names].some((name) => known.has(name))) continue;
      for (const name of known) names.add(name);
      joined.delete(other);
    }
    joined.set(id, names);
  }
  return joined;
}
