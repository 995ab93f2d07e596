import { BALANCE_TOLERANCE_NANO } from '../../src/domain/money.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { Scenario } from '../scenario.js';
import type { ServiceModel } from '../service/service-model.js';
import { sameBytes, sha256Of } from './bytes.js';
import type { LedgerWatch } from './ledger-watch.js';

/** Checks when everything has ended: I3 (every claim ends), I7, I11 for rows, I21. */

export interface Ended {
  scenario: Scenario;
  service: ServiceModel;
  ledger: LedgerWatch;
  /** When each row's record was written last, and the record. */
  records: Map<string, { atMs: number; record: RowRecord }>;
  readOutput(key: string): Uint8Array | undefined;
  report: (rule: string, what: string) => void;
}

const MINUTE_MS = 60_000;
const LIVENESS_SLACK_MS = 5 * MINUTE_MS;

export function checkEnd(ended: Ended): void {
  for (const { batch, id } of ended.scenario.rows) {
    const row = `${batch}/${id}`;
    const found = ended.records.get(row);
    // A row that was never opened has none: its end stands in the results alone.
    if (!found) continue;
    checkClaims(ended, row);
    checkFile(ended, row, found.record);
    checkCredits(ended, row, found.record);
    checkTime(ended, row, found.atMs);
  }
}

function checkClaims({ ledger, report }: Ended, row: string): void {
  for (const attempt of ledger.attemptsOf(row)) {
    const last = attempt.states.at(-1)?.state.state;
    if (last === 'intent' || last === 'unknown' || last === 'created_lost') {
      report('I3', `${row} ended, and attempt ${attempt.n} is still '${last}'`);
    }
  }
}

function checkFile({ service, readOutput, report }: Ended, row: string, record: RowRecord) {
  if (record.status !== 'done') return;
  const [file] = record.files;
  const bytes = file && readOutput(`${row.split('/', 1)[0]}/${file.file}`);
  if (!file || !bytes) return report('I7', `${row} is done without its file`);
  if (bytes.length !== file.bytes || sha256Of(bytes) !== file.sha256)
    report('I7', `${row}: the file is not the recorded one`);
  const isOurs = service.jobs.jobs.some((job) => job.row === row && sameBytes(job.bytes, bytes));
  if (!isOurs) report('I7', `${row}: the file is not what the service made for it`);
}

/** Where prices are exact, what a row is said to have cost is what it cost. */
function checkCredits({ scenario, service, report }: Ended, row: string, record: RowRecord): void {
  const { faults, broken } = scenario;
  if (broken || faults.discount > 0 || faults.followUp > 0 || record.creditsNano === undefined) return;
  const spent = service.jobs.jobs.filter((job) => job.row === row).reduce((sum, job) => sum + job.netNano, 0);
  // A verdict rests on assumptions and is judged by itself (I10).
  const isOff = Math.abs(record.creditsNano - spent) > BALANCE_TOLERANCE_NANO;
  if (record.status === 'done' && isOff) {
    report('I11', `${row} is said to have cost ${record.creditsNano}, it cost ${spent}`);
  }
}

function checkTime({ scenario, ledger, report }: Ended, row: string, endedAtMs: number): void {
  const { waits, faultsEndMs } = scenario;
  const claims = ledger.attemptsOf(row).map((attempt) => attempt.states[0]?.atMs ?? 0);
  if (claims.length === 0) return;
  const longestMs = Math.max(...Object.values(waits.renderMaxMs));
  const limitMs = Math.max(faultsEndMs, ...claims) + longestMs + waits.thetaMs + waits.lambdaMs + LIVENESS_SLACK_MS;
  if (endedAtMs > limitMs) report('I21', `${row} ended ${Math.round((endedAtMs - limitMs) / 1_000)} s too late`);
}
