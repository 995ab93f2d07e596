import { setTimeout as delay } from 'node:timers/promises';
import type { RowFinished } from '../contract/messages.js';
import { defined } from '../domain/defined.js';
import type { CreditsNano } from '../domain/money.js';
import type { Flag, RowRecord } from '../domain/outcome.js';
import { keepEarlier } from '../home/earlier-render.js';
import type { BookMessages, Books } from './open-books.js';

const SENDS_MAX = 10;

/** Corrects the record of a row that has ended, when the balance tells later what it really cost. */
export type Revision =
  /** An attempt that was found not billed was billed after all. */
  | {
      revision: 'contradicted';
      sentence: string;
      attempts: number;
      seenStates?: number;
      /** The most that it cost; null when nothing bounds it. */
      moreNano: CreditsNano | null;
    }
  /** A bill that was found came back, or a row that ended undecided was not billed after all. */
  | { revision: 'unbilled'; sentence: string; seenStates: number; endedUnder?: string }
  /** A row that ended undecided was billed. */
  | { revision: 'billed'; sentence: string; seenStates: number }
  /** The row's own charge was seen alone. */
  | { revision: 'measured'; creditsNano: CreditsNano };

/** Writes the corrected record and tells the batch; a row without a record is corrected when it ends. */
export async function reviseRow(
  { records, messenger }: Books,
  { batch, id }: { batch: string; id: string },
  revision: Revision,
): Promise<void> {
  let was: RowRecord | undefined;
  const revised = await records.changeRecord(batch, id, (record) => {
    was = record;
    if (!record || record.reasonCode === 'record_damaged') return undefined;
    return keepEarlier(record, revisedRecord(record, revision));
  });
  const more = revision.revision === 'contradicted' ? { moreNano: revision.moreNano } : {};
  if (was && revised) await tellRevised(messenger, batch, was, revised, more);
}

/** A batch that runs counts the row anew and writes its results with it; of one that has ended they are written again. */
export async function tellRevised(
  messenger: BookMessages,
  batch: string,
  was: RowRecord,
  revised: RowRecord,
  more: Pick<RowFinished, 'moreNano'> = {},
): Promise<void> {
  const report = { id: revised.id, ...countsOf(revised), was: countsOf(was), ...more };
  if (!(await insist(() => messenger.rowFinished(batch, report)))) await insist(() => messenger.rewriteResults(batch));
}

/** Nobody corrects a record a second time: a server that is away for a moment must not lose what it means. */
export async function insist<T>(send: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n += 1) {
    try {
      return await send();
    } catch (error) {
      if (n === SENDS_MAX) throw error;
      await delay(1_000);
    }
  }
}

function revisedRecord(record: RowRecord, revision: Revision): RowRecord {
  switch (revision.revision) {
    case 'measured':
      return { ...record, creditsNano: revision.creditsNano, creditsBasis: 'measured' };
    case 'billed': {
      if (record.reasonCode !== 'answer_lost_undecided') return record;
      const { sentence: reason, seenStates } = revision;
      return { ...record, status: 'lost_paid', reasonCode: 'answer_lost_billed', reason, seenStates };
    }
    case 'unbilled': {
      if (record.status !== 'lost_paid' && record.reasonCode !== 'answer_lost_undecided') return record;
      const { creditsNano: _ofAll, ...rest } = record;
      const { sentence: reason, seenStates, endedUnder } = revision;
      // What other attempts of the row have cost is not known here.
      const cost = record.attempts > 1 ? ({ creditsBasis: 'unknown' } as const) : { creditsNano: 0 };
      const end = { status: 'failed', reasonCode: 'answer_lost_unbilled', reason, seenStates } as const;
      return { ...rest, ...cost, ...end, ...defined({ endedUnder }) };
    }
    case 'contradicted': {
      const { creditsNano: _unknownNow, ...rest } = record;
      const twice: Flag[] = revision.attempts > 1 ? ['possibly_paid_twice'] : [];
      return {
        ...rest,
        status: 'review',
        reasonCode: 'verdict_contradicted',
        reason: revision.sentence,
        flags: [...new Set([...record.flags, ...twice])],
        creditsBasis: 'unknown',
        ...(revision.seenStates === undefined ? {} : { seenStates: revision.seenStates }),
      };
    }
  }
}

function countsOf({ status, creditsNano }: RowRecord): Pick<RowRecord, 'status'> & { creditsNano: CreditsNano | null } {
  return { status, creditsNano: creditsNano ?? null };
}
