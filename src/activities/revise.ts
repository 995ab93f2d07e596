import type { CreditsNano } from '../domain/money.js';
import type { Flag, RowRecord } from '../domain/outcome.js';
import type { Dependencies } from './dependencies.js';

/** Corrects the record of a row that has ended, when the balance tells later what it really cost. */
export type Revision =
  /** An attempt that was found not billed was billed after all. */
  | { revision: 'contradicted'; sentence: string; attempts: number; seenStates?: number }
  /** A bill that was found came back: the job had failed. */
  | { revision: 'refunded'; sentence: string; seenStates: number }
  /** The row's own charge was seen alone. */
  | { revision: 'measured'; creditsNano: CreditsNano };

/** Writes the corrected record and has the batch count it anew; a row without a record is corrected when it ends. */
export async function reviseRow(
  deps: Dependencies,
  { batch, id }: { batch: string; id: string },
  revision: Revision,
): Promise<void> {
  const record = await deps.records.readRecord(batch, id);
  if (!record) return;
  const revised = revisedRecord(record, revision);
  await deps.records.writeRecord(batch, revised);
  await deps.messenger.rowFinished(batch, { id, ...countsOf(revised), was: countsOf(record) });
}

function revisedRecord(record: RowRecord, revision: Revision): RowRecord {
  switch (revision.revision) {
    case 'measured':
      return { ...record, creditsNano: revision.creditsNano, creditsBasis: 'measured' };
    case 'refunded':
      if (record.status !== 'lost_paid') return record;
      return {
        ...record,
        status: 'failed',
        reasonCode: 'answer_lost_unbilled',
        reason: revision.sentence,
        creditsNano: 0,
        seenStates: revision.seenStates,
      };
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
