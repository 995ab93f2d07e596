import { defined } from '../domain/defined.js';
import { isRecordOf, type RowRecord } from '../domain/outcome.js';

/**
 * The output of what the row asks for now is not lost for what became, late, of another attempt: one that was made for
 * other values before the row was changed and rendered again, or an `isEarlier` one of which nobody knew that it had a job
 * until another had brought the output. Pure.
 */
export function keepPresent(
  before: RowRecord | undefined,
  record: RowRecord,
  presentHash: string | undefined,
  isEarlier = false,
): RowRecord {
  if (presentHash === undefined || before === undefined || !isRecordOf(before, presentHash)) return record;
  const isOther = !isRecordOf(record, presentHash);
  const isOver = isEarlier && (record.status === 'failed' || record.status === 'lost_paid');
  // It may wait for a person by now, since there is another job.
  const isContradicted = isOver && before.reasonCode === 'verdict_contradicted' && before.files.length > 0;
  if (!(isOther || isOver) || !(before.status === 'done' || isContradicted)) return record;
  const { creditsNano: _creditsNano, seenStates: _seenStates, ...present } = before;
  const files = record.files.map(({ file }) => file).filter((file) => !before.files.some((one) => one.file === file));
  const why = [record.reasonCode, record.reason].filter((part) => part !== undefined).join(': ');
  const came = files.length > 0 ? `brought ${files.join(', ')} late` : `ended ${record.status}${why && ` (${why})`}`;
  const whose = isOther ? 'an attempt for other values of the row' : 'an earlier attempt of the row';
  const { attempts, creditsNano, creditsBasis, seenStates } = record;
  const kept = before.flags.filter((flag) => !record.flags.includes(flag) && flag !== 'possibly_paid_twice');
  return {
    ...present,
    warnings: [...new Set([...before.warnings, `${whose} ${came}`])],
    flags: [...record.flags, ...kept],
    ...{ attempts, creditsBasis },
    ...defined({ creditsNano, seenStates }),
  };
}
