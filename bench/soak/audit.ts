import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Truth } from '../../emulator/emulator.js';
import type { JobRecord } from '../../emulator/model/truth.js';
import { type CreditsNano, creditsFromNumber } from '../../src/domain/money.js';
import { rowOf } from './rows.js';

/** What callsheet says of its rows beside what the service knows of them. */
export interface Audit {
  rows: number;
  statuses: Record<string, number>;
  /** Reason codes of the rows that are not done. */
  reasons: Record<string, number>;
  /** Sentences, one for each breach; empty is what is asked for. */
  breaches: string[];
  /** What left the balance, purchases added back. */
  spentNano: CreditsNano;
  /** The sum of what the rows say they cost. */
  reportedNano: CreditsNano;
  /** Of jobs whose row does not know its price: rows in review, and lost ones whose length nobody saw. */
  unattributedNano: CreditsNano;
  /** `spent − reported − unattributed`: 0 when the books balance to the digit. */
  missingNano: CreditsNano;
}

interface Line {
  id: string;
  status: string;
  reason_code: string | null;
  reason: string | null;
  flags: string[] | null;
  file: string | null;
  bytes: number | null;
  sha256: string | null;
  credits: number | null;
}

const ENDS = ['done', 'failed', 'lost_paid', 'review'];

export async function auditRows(
  out: string,
  batches: ReadonlyMap<string, readonly string[]>,
  truth: Truth,
): Promise<Audit> {
  const { balance, sums } = truth.account;
  const audit: Audit = {
    rows: 0,
    statuses: {},
    reasons: {},
    breaches: [],
    spentNano: balance.startNano - balance.nowNano + sums.topUpNano,
    reportedNano: 0,
    unattributedNano: 0,
    missingNano: 0,
  };
  const jobs = jobsByRow(truth);
  for (const [batch, ids] of batches) {
    const lines = await linesOf(join(out, batch, 'results.jsonl'));
    const inOrder = lines.length === ids.length && lines.every(({ id }, at) => id === ids[at]);
    if (!inOrder) audit.breaches.push(`I6 ${batch}: ${ids.length} rows went in, ${lines.length} came out`);
    for (const line of lines) await auditRow(audit, join(out, batch), line, jobs.get(line.id) ?? []);
  }
  const known = new Set([...batches.values()].flat());
  for (const row of jobs.keys()) if (!known.has(row)) audit.breaches.push(`a job for ${row}, which is no row`);
  audit.missingNano = audit.spentNano - audit.reportedNano - audit.unattributedNano;
  return audit;
}

async function auditRow(audit: Audit, folder: string, line: Line, jobs: readonly JobRecord[]): Promise<void> {
  const { id, status, credits } = line;
  const charged = jobs.filter((job) => job.chargedNano > job.refundedNano);
  const chargedNano = jobs.reduce((sum, job) => sum + job.chargedNano - job.refundedNano, 0);
  const breach = (what: string): void => {
    audit.breaches.push(`${id} (${status}, ${line.reason_code ?? 'no reason'}): ${what}`);
  };
  count(audit.statuses, status);
  if (status !== 'done') count(audit.reasons, `${status} ${line.reason_code ?? '-'}`);
  audit.rows += 1;
  if (!ENDS.includes(status)) breach('I21 has not ended');
  if (charged.length > 1) breach(`I1 was paid ${charged.length} times`);
  if ((status === 'done' || status === 'lost_paid') && charged.length !== 1) breach('no job of it was charged');
  if (status === 'failed' && charged.length > 0) breach('failed, and a job of it was charged');
  if (credits === null) audit.unattributedNano += chargedNano;
  else {
    const nano = creditsFromNumber(credits) ?? Number.NaN;
    audit.reportedNano += nano;
    if (nano !== chargedNano) breach(`I11 says ${credits} credits, the service charged ${chargedNano / 1e9}`);
  }
  if (status !== 'done') return;
  const file = await readFile(join(folder, line.file ?? '')).catch(() => Buffer.alloc(0));
  const sha256 = createHash('sha256').update(file).digest('hex');
  const isWhole = file.length === line.bytes && sha256 === line.sha256;
  const isServed = charged.some(({ outputs }) => outputs.some((output) => output.sha256 === sha256));
  if (!isWhole || !isServed) breach('I7 its file is not what the service made');
}

function jobsByRow({ jobs }: Truth): Map<string, JobRecord[]> {
  const found = new Map<string, JobRecord[]>();
  for (const job of jobs) {
    const mine = found.get(rowOf(job));
    if (mine === undefined) found.set(rowOf(job), [job]);
    else mine.push(job);
  }
  return found;
}

async function linesOf(path: string): Promise<Line[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
