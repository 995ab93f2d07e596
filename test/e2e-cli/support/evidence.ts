// What a batch left behind: result files, the home's ledger, and the service's own records beside them.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Truth } from '../../../emulator/emulator.js';
import type { JobRecord } from '../../../emulator/model/truth.js';
import { rowOf } from './manifest.js';
import type { Rig } from './rig.js';

/** One line of results.jsonl, as far as the tests look at it. */
export interface Result {
  id: string;
  status: string;
  reason_code: string | null;
  reason: string | null;
  flags: string[];
  attempts: number;
  file: string | null;
  sha256: string | null;
  credits: number | null;
}

export function resultsText(rig: Rig, batch: string): string {
  return readFileSync(join(rig.out, batch, 'results.jsonl'), 'utf8');
}

export function results(rig: Rig, batch: string): Result[] {
  return jsonLines<Result>(resultsText(rig, batch));
}

export function jsonLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

export function fileHash(rig: Rig, batch: string, file: string): string {
  return createHash('sha256')
    .update(readFileSync(join(rig.out, batch, file)))
    .digest('hex');
}

/** Jobs and synchronous calls of each row. */
export function jobsByRow(truth: Truth): Map<string, JobRecord[]> {
  const found = new Map<string, JobRecord[]>();
  for (const job of truth.jobs) found.set(rowOf(job), [...(found.get(rowOf(job)) ?? []), job]);
  return found;
}

export function isCharged(job: JobRecord): boolean {
  return job.chargedNano > job.refundedNano;
}

/** Requests that can cost something. */
export function paidRequests(truth: Truth): number {
  return truth.requests.filter(({ method }) => method === 'POST').length;
}

/** Every row ended once, none was paid twice, and what each says of itself is what the service knows. */
export function expectHonestEnd(rig: Rig, batch: string, ids: readonly string[]): Result[] {
  const truth = rig.emulator.truth();
  const rows = results(rig, batch);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  const jobs = jobsByRow(truth);
  const chargedOf = ({ id }: Result) => (jobs.get(id) ?? []).filter(isCharged);
  const isCounted = rows.some(({ reason }) => reason?.includes('interchangeable answers'));
  for (const row of rows) {
    const charged = chargedOf(row);
    const seen = `${row.id} ${row.status} ${row.reason_code} ${row.reason}`;
    expect(['done', 'failed', 'lost_paid', 'review'], seen).toContain(row.status);
    // Answers of one price that were settled by their count: which of them were billed nobody knows, how many is known.
    if (!isCounted) expectOwnCharge(row, charged.length, seen);
    if (row.status !== 'done') continue;
    expect(
      charged.map(({ outputs }) => outputs[0]?.sha256),
      seen,
    ).toContain(row.sha256);
    expect(fileHash(rig, batch, row.file ?? ''), seen).toBe(row.sha256);
  }
  const paid = rows.filter(({ status }) => status !== 'failed').length;
  expect(rows.flatMap(chargedOf).length).toBeLessThanOrEqual(paid);
  return rows;
}

function expectOwnCharge({ status }: Result, charged: number, seen: string): void {
  expect(charged, seen).toBeLessThanOrEqual(1);
  if (status === 'done' || status === 'lost_paid') expect(charged, seen).toBe(1);
  if (status === 'failed') expect(charged, seen).toBe(0);
}

/** Below `<home>/<account>/batches/<batch>`. */
function batchFolder(rig: Rig, batch: string): string {
  return join(rig.data, 'home', `rehearsal-${rig.emulator.port}`, 'batches', batch);
}

/** The ids whose record of the end is in the home. */
export function finishedIds(rig: Rig, batch: string): string[] {
  return filesBelow(join(batchFolder(rig, batch), 'records')).flatMap(
    (file) => /([^/\\]+)\.json$/.exec(file)?.[1] ?? [],
  );
}

export interface Claim {
  id: string;
  n: number;
  atMs: number;
}

/** Every claim of a batch. */
export function claims(rig: Rig, batch: string): Claim[] {
  return filesBelow(join(batchFolder(rig, batch), 'attempts')).flatMap((file) => {
    const match = /([^/\\]+)[/\\](\d+)\.000\.json$/.exec(file);
    if (match === null) return [];
    const { state, atMs } = JSON.parse(readFileSync(file, 'utf8')) as { state: string; atMs: number };
    return state === 'intent' ? [{ id: match[1] ?? '', n: Number(match[2]), atMs }] : [];
  });
}

/** Rows whose handle or output is on record while they have not ended. */
export function rowsWithHandle(rig: Rig, batch: string): string[] {
  const finished = new Set(finishedIds(rig, batch));
  const known = filesBelow(join(batchFolder(rig, batch), 'attempts')).flatMap((file) => {
    const id = /([^/\\]+)[/\\]\d+\.\d+\.json$/.exec(file)?.[1];
    // What is on its way to its name is not on record yet, and gone when it is looked for.
    if (id === undefined || finished.has(id)) return [];
    const { state } = JSON.parse(readFileSync(file, 'utf8')) as { state: string };
    return state === 'created' || state === 'done' ? [id] : [];
  });
  return [...new Set(known)];
}

export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
