import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Config } from '../../config.js';
import type { Attempt } from '../../domain/attempt.js';
import { type Hint, nameWords } from '../../domain/order-words.js';
import type { OutputFile, RowRecord } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { isS3Address } from '../../domain/s3.js';
import { intentOf, standingOf } from '../../domain/standing.js';
import { resultStates } from '../../home/attempts.js';
import { keepRenders } from '../../home/past-renders.js';
import { hasOutput } from '../../home/row-standing.js';
import { factsOf } from '../../kinds/facts.js';
import { errorCode, toStoreError } from '../../store/folder-errors.js';
import { type HomeAccess, openPlace } from '../access/home-access.js';
import { type CopySources, originsOf } from '../reuse/source-of-copy.js';
import { plain } from '../terminal.js';
import { amount, firstNames } from '../views/counts.js';

interface OutputFlaw {
  /** Relative to the batch's folder. */
  file: string;
  flaw: 'gone' | 'changed';
}

/** Looks whether the files of finished rows are still what was stored. */
export interface OutputCheck {
  /** The first file that is gone or is another one by now; undefined when all are as they were. */
  flaw(record: RowRecord): Promise<OutputFlaw | undefined>;
}

/** A finished row whose file is gone or changed: what is said of it, and how it is fetched again. */
export interface LostFile extends OutputFlaw {
  record: RowRecord;
  /** URL, handle or kept bytes may still give it. */
  mayComeAgain: boolean;
  /** It is a copy, and a file that it can be made of again is whole or comes again itself. */
  copy?: CopyAgain;
}

export interface CopyAgain {
  row: Row;
  /** `later`: the row that it shares the render of is fetched again by the same command. */
  when: 'now' | 'later';
}

const ABSENT = ['ENOENT', 'ENOTDIR'];

/** Of a finished row; undefined where its files are as they were stored, and where nobody looks. */
export async function findLost(
  access: HomeAccess,
  batch: string,
  { row, record }: { row: Row; record: RowRecord },
  { outputs, sources }: { outputs?: OutputCheck | undefined; sources: CopySources },
): Promise<LostFile | undefined> {
  const flaw = record.status === 'done' ? await outputs?.flaw(record) : undefined;
  if (flaw === undefined) return undefined;
  const attempts = await access.ledger.read(batch, record.id);
  if (await mayComeAgain(access, record, attempts, Date.now())) return { ...flaw, record, mayComeAgain: true };
  const when = attempts.some(hasOutput) ? undefined : await whenCopied(access, batch, record, sources);
  return { ...flaw, record, mayComeAgain: false, ...(when && { copy: { row, when } }) };
}

async function whenCopied(
  access: HomeAccess,
  batch: string,
  copied: RowRecord,
  sources: CopySources,
): Promise<CopyAgain['when'] | undefined> {
  const origins = await originsOf(access, batch, copied);
  if ((await sources.whole(origins, copied.files)) !== undefined) return 'now';
  const shared = origins[0]?.batch === batch ? origins[0].record : undefined;
  if (shared?.files[0]?.sha256 !== copied.files[0]?.sha256 || shared?.status !== 'done') return undefined;
  const attempts = await access.ledger.read(batch, shared.id);
  return (await mayComeAgain(access, shared, attempts, Date.now())) ? 'later' : undefined;
}

/** Whether anything that is known of the row's attempts may still bring its output. */
export async function mayComeAgain(
  { home, config }: HomeAccess,
  { kind, rowHash }: RowRecord,
  attempts: readonly Attempt[],
  nowMs: number,
): Promise<boolean> {
  const own = attempts.findLast((one) => hasOutput(one) && intentOf(one)?.rowHash === rowHash);
  const last = own ?? attempts.at(-1);
  // A row without an attempt has a copy of another row's file; of itself nothing is known.
  if (last === undefined) return false;
  const [first, ...later] = resultStates(last);
  const standing = standingOf(last);
  if (first === undefined || (standing !== 'done' && standing !== 'rendered')) return false;
  const outputs = (later.at(-1) ?? first).outputs;
  const kept = outputs.flatMap(({ blobSha256 }) => blobSha256 ?? []);
  if (kept.length > 0) return (await Promise.all(kept.map((sha256) => home.hasBlob(sha256)))).every(Boolean);
  return (nowMs - first.atMs) * config.timeScale < factsOf(kind).outputLifeMs;
}

/** Lines for people; none when nothing is lost. `folder` is the batch's own, so that it ends with the batch's name. */
export function lostFileLines(lost: readonly LostFile[], folder: string, hint: Hint): string[] {
  const again = lost.filter((one) => one.mayComeAgain);
  const copied = lost.filter(({ copy }) => copy?.when === 'now');
  const later = lost.filter(({ copy }) => copy?.when === 'later');
  const over = lost.filter((one) => !one.mayComeAgain && one.copy === undefined);
  return [
    ...(again.length > 0 ? [`${sentence(again, folder)}: fetched again`] : []),
    ...(copied.length > 0 ? [`${sentence(copied, folder)}: copied again from the source, at no cost`] : []),
    ...(later.length > 0 ? [`${sentence(later, folder)}: copied again at no cost once the source is fetched`] : []),
    ...(over.length > 0
      ? [`${sentence(over, folder)}, and nothing gives ${rerunText(over, basename(folder), hint)}`]
      : []),
  ];
}

function rerunText([first, ...others]: readonly LostFile[], batch: string, hint: Hint): string {
  const rerun = `\`${hint(`rerun ${nameWords(batch, first?.record.id ?? '')}`)}\``;
  if (others.length === 0) return `it any more: put a copy back, or ${rerun} renders it again (costs again)`;
  return `them any more: put copies back, or ${rerun} renders the first again, and so on (each costs again)`;
}

function sentence(lost: readonly LostFile[], folder: string): string {
  const names = lost.map(({ file, flaw }) => `${plain(file, 200)} (${flaw})`);
  const are = `${amount(lost.length, 'finished row has', 'finished rows have')} no longer the file that was stored`;
  return `${are} in ${folder}: ${firstNames(names)}`;
}

/** From now on the rows wait for their outputs, as the next run of the batch finds. A changed file is left where it is. */
export async function awaitAgain({ records }: HomeAccess, batch: string, lost: readonly LostFile[]): Promise<void> {
  for (const { record, file, flaw } of lost.filter((one) => one.mayComeAgain)) {
    const reason = `${file} is ${flaw} since it was stored`;
    const files = flaw === 'changed' ? record.files : [];
    await records.changeRecord(batch, record.id, (now = record) => {
      // It was rendered again since it was looked at.
      if (now.finishedAtMs !== record.finishedAtMs) return undefined;
      const awaited: RowRecord = { ...now, status: 'review', reasonCode: 'output_pending', reason, files };
      // What was stored is told of as earlier renders are: the disk that has it may only be away.
      return keepRenders(now, awaited, awaited);
    });
  }
}

/** Clocks of drives differ a little from this machine's, those of other servers more. */
const CLOCK_SLACK_MS = 5_000;
const SERVER_CLOCK_SLACK_MS = 60_000;

/**
 * A file is looked at only where its size or its time tells that it was touched since; a bucket is asked for those of all
 * files at once.
 */
export function openOutputCheck(config: Config, out: string, batch: string): OutputCheck {
  const store = openPlace(config, out, 'shared');
  let listed: Promise<Map<string, FileFacts>> | undefined;
  const isBucket = isS3Address(out);
  const slackMs = isBucket ? SERVER_CLOCK_SLACK_MS : CLOCK_SLACK_MS;
  return {
    async flaw(record) {
      for (const file of record.files) {
        const flaw = await flawOf(file, record.finishedAtMs);
        if (flaw !== undefined) return { file: file.file, flaw };
      }
      return undefined;
    },
  };

  async function flawOf(
    { file, bytes, sha256 }: OutputFile,
    storedAtMs: number,
  ): Promise<OutputFlaw['flaw'] | undefined> {
    const key = `${batch}/${file}`;
    const facts = isBucket ? (await allInBucket()).get(key) : await factsInFolder(key);
    if (facts === undefined) return 'gone';
    if (facts.bytes !== bytes) return 'changed';
    if (facts.writtenAtMs <= storedAtMs + slackMs) return undefined;
    return (await store.stat(key))?.sha256 === sha256 ? undefined : 'changed';
  }

  function allInBucket(): Promise<Map<string, FileFacts>> {
    listed ??= list();
    return listed;
  }

  async function list(): Promise<Map<string, FileFacts>> {
    const found = new Map<string, FileFacts>();
    for await (const { key, ...facts } of store.objects?.(`${batch}/media`) ?? []) found.set(key, facts);
    return found;
  }

  async function factsInFolder(key: string): Promise<FileFacts | undefined> {
    const facts = await lstat(join(out, key)).catch((error: unknown) => {
      // A drive that does not answer has lost nothing yet.
      if (!ABSENT.includes(errorCode(error) ?? '')) throw toStoreError(error, 'read', key, out);
      return undefined;
    });
    return facts && { bytes: facts.size, writtenAtMs: facts.mtimeMs };
  }
}

interface FileFacts {
  bytes: number;
  writtenAtMs: number;
}
