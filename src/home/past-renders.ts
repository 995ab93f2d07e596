import { defined } from '../domain/defined.js';
import { REASONS } from '../domain/failure.js';
import type { CreditsNano } from '../domain/money.js';
import type { OutputFile, PastRender, RowRecord } from '../domain/outcome.js';

/**
 * What a row rendered before its newest render: each was paid and lies beside it, and may stand for another row. Its newest
 * one is among them while its files are away: an output folder that is not mounted may come back with them. Pure.
 */

/** A row that is rendered again more often than this is known by its newest renders alone: its record stays small. */
const PAST_RENDERS_MAX = 100;

/** It holds a whole render of the row's own: no copy of another row's. */
export function hasOwnRender({ status, attempts, files, reusedFrom }: RowRecord): boolean {
  return status === 'done' && files.length > 0 && attempts > 0 && reusedFrom === undefined;
}

/**
 * The record as it is written over `before`, with the renders that it does not name as its own files: those before it,
 * and `made`, where that came late and stands back for what the row asks for now.
 */
export function keepRenders(before: RowRecord | undefined, made: RowRecord, record: RowRecord): RowRecord {
  if (before === undefined) return record;
  const { pastRenders: _pastRenders, ...rest } = record;
  const own = hasOwnRender(record) ? record.files : [];
  const past = [...(before.pastRenders ?? [])];
  if (hasOwnRender(before)) past.push(pastRender(before, ownCost(before)));
  if (hasOwnRender(made)) past.push(pastRender(made, difference(made.creditsNano, before.creditsNano)));
  const kept = past.filter(
    (one, i) => !isIn(one, record, own) && past.findIndex(({ files }) => sameFile(files, one.files)) === i,
  );
  return kept.length === 0 ? rest : { ...rest, pastRenders: kept.slice(-PAST_RENDERS_MAX) };
}

/** Its files are the record's own, or were fetched again under another name. */
function isIn(past: PastRender, record: RowRecord, own: readonly OutputFile[]): boolean {
  return sameFile(past.files, own) || (own.length > 0 && isOfAttempt(past, record));
}

function isOfAttempt(
  past: PastRender,
  { submittedAtMs, rowHash }: Pick<RowRecord, 'submittedAtMs' | 'rowHash'>,
): boolean {
  return submittedAtMs !== undefined && past.submittedAtMs === submittedAtMs && past.rowHash === rowHash;
}

/** What an attempt brought that was begun then with these values, where the record has it beside its own files. */
export function pastRenderOf(
  { pastRenders }: RowRecord,
  begun: Pick<RowRecord, 'submittedAtMs' | 'rowHash'>,
): PastRender | undefined {
  return pastRenders?.find((past) => isOfAttempt(past, begun));
}

/** What was stored of a row whose output is waited for once more, or is lost since nothing gives it any more. */
export function awayRender(record: RowRecord): PastRender | undefined {
  const { status, reasonCode } = record;
  const isOpen = status === 'review' || status === 'lost_paid';
  if (!isOpen || reasonCode === undefined || REASONS[reasonCode].class !== 'output') return undefined;
  return pastRenderOf(record, record);
}

/** The record as it was before its files were away, of which `files` tells as they lie now; undefined where none were. */
export function withStored(record: RowRecord | undefined, files: OutputFile[]): RowRecord | undefined {
  const render = record && awayRender(record);
  if (record === undefined || render === undefined) return undefined;
  const { warnings, inputs, finishedAtMs } = render;
  const { reasonCode: _reasonCode, reason: _reason, ...rest } = record;
  return keepRenders(record, rest, { ...rest, status: 'done', files, warnings, finishedAtMs, ...defined({ inputs }) });
}

/** Each render that a record tells of, with its own cost, the newest first; its own files only while no other is made. */
export function rendersOf(record: RowRecord): PastRender[] {
  const past = [...(record.pastRenders ?? [])].reverse();
  const holds = hasOwnRender(record) && record.rerunAtMs === undefined;
  return holds ? [pastRender(record, ownCost(record)), ...past] : past;
}

/** Every file that a row gave first, now and before. */
export function firstFiles(record: RowRecord): OutputFile[] {
  return [record, ...(record.pastRenders ?? [])].flatMap(({ files }) => files.slice(0, 1));
}

function pastRender(record: RowRecord, creditsNano: CreditsNano | undefined): PastRender {
  const { files, warnings, seed, revisedPrompt, inputs, submittedAtMs, finishedAtMs, rowHash } = record;
  return {
    files,
    warnings,
    finishedAtMs,
    rowHash,
    ...defined({ seed, revisedPrompt, inputs, creditsNano, submittedAtMs }),
  };
}

/** A record's cost is that of all attempts of its row. */
function ownCost({ creditsNano, pastRenders = [] }: RowRecord): CreditsNano | undefined {
  return pastRenders.reduce((left: CreditsNano | undefined, past) => difference(left, past.creditsNano), creditsNano);
}

function difference(all: CreditsNano | undefined, part: CreditsNano | undefined): CreditsNano | undefined {
  return all === undefined || part === undefined || part > all ? undefined : all - part;
}

function sameFile(some: readonly OutputFile[], others: readonly OutputFile[]): boolean {
  return some[0] !== undefined && some[0].file === others[0]?.file;
}
