import { waitsOf } from '../../config/make-config.js';
import { isRetouched, sharedFrom } from '../../domain/outcome.js';
import { type FedMedia, fedMedia, type Row } from '../../domain/row.js';
import { isS3Address } from '../../domain/s3.js';
import { ownUrlOf, staysReadable } from '../../home/own-url.js';
import { rendersOf } from '../../home/past-renders.js';
import { columnsOf, takesUrlOnly } from '../../manifest/columns.js';
import { referenceText } from '../../manifest/media/media-cell.js';
import { wantedSort } from '../../manifest/media/media-reader.js';
import { formatProblem, type Problem } from '../../manifest/problem.js';
import { openSpill, type Spill } from '../../manifest/references/spill.js';
import type { BatchPlace } from '../access/home-access.js';
import { type FoundRenders, takenOver } from '../reuse/found-renders.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { type RefusingPlace, rowProblem, tellRefused } from './errors-file.js';

/**
 * Without a place to upload to, a column that takes URLs alone is fed by the URL that the service gave for the other
 * row's output. A row that is rendered now gets a fresh one; of what was rendered before it may have ended by now.
 */
export interface FeederUrls {
  /** A row that would be submitted. */
  add(row: Row): Promise<void>;
  /** Throws a UserError (`B72`) that names the rows whose feeders have no such URL any more. */
  refuse(counted: Counted, place: RefusingPlace): Promise<void>;
  close(): Promise<void>;
}

/** What is known once all rows were counted; `finishedBefore` and `barren` by index. */
interface Counted {
  finishedBefore: readonly boolean[];
  barren?: ReadonlySet<number>;
  skipped: readonly { row: Pick<Row, 'id'> }[];
  earlier?: FoundRenders;
}

const SHOWN_MAX = 20;

export function createFeederUrls(at: BatchPlace): FeederUrls {
  let fed: Spill<Row> | undefined;
  return {
    async add(row) {
      if (namesUrls(row).length === 0) return;
      fed ??= await openSpill<Row>();
      await fed.add(row);
    },
    async refuse({ finishedBefore, barren, skipped, earlier }, place) {
      const left = new Set(skipped.map(({ row }) => row.id));
      const problems: Problem[] = [];
      const keptMax = place.errorsFile === undefined ? SHOWN_MAX : Number.POSITIVE_INFINITY;
      let count = 0;
      for await (const row of fed?.rows() ?? []) {
        if (finishedBefore[row.index] || barren?.has(row.index)) continue;
        for (const media of namesUrls(row)) {
          const own = finishedBefore[media.at] ? await whyUnreadable(at, earlier, row, media) : undefined;
          const why = left.has(media.id) ? 'skipped' : own;
          if (why === undefined) continue;
          count += 1;
          if (problems.length < keptMax) problems.push(rowProblem(place, row, 'B72', flawText(row, media, why)));
        }
      }
      if (count === 0) return;
      const ends = amount(count, 'input has', 'inputs have');
      const lines = problems.slice(0, SHOWN_MAX).map(formatProblem);
      const message = `${lines.join('\n')}\n${ends} no URL that the service could read: nothing was submitted`;
      await tellRefused(place.errorsFile, () => {
        throw new UserError(message, EXIT.usage, problems);
      });
    },
    close: async () => fed?.close(),
  };
}

/** What feeds the columns of a row that take URLs alone. */
function namesUrls(row: Row): FedMedia[] {
  if (fedMedia(row).length === 0) return [];
  return Object.entries(row.media).flatMap(([column, list]) => {
    const rule = columnsOf(row.kind).get(column);
    if (rule?.type !== 'media' || !takesUrlOnly(rule.media, wantedSort(row, rule))) return [];
    return list.filter((media) => media.source === 'row');
  });
}

/** Whether a row names signed URLs of a bucket. */
export function isSigned(row: Row, hasUploadStore: boolean): boolean {
  return Object.entries(row.media).some(([column, list]) => {
    const rule = columnsOf(row.kind).get(column);
    if (rule?.type !== 'media' || rule.media.inline === 'bytes-only') return false;
    const isUploaded = hasUploadStore && takesUrlOnly(rule.media, wantedSort(row, rule));
    return list.some((media) => (media.source === 'url' ? isS3Address(media.url) : isUploaded));
  });
}

/** Undefined where it can be read. */
async function whyUnreadable(
  { session, access, batch }: BatchPlace,
  earlier: Counted['earlier'],
  row: Row,
  media: FedMedia,
): Promise<keyof typeof UNREADABLE | undefined> {
  const { config } = session;
  const source = takenOver(earlier)?.get(media.at);
  const named = source ?? { batch, id: media.id };
  const own = await access.records.readRecord(named.batch, named.id);
  // A copy is at the URL of the row that it was made of.
  const sharedId = source === undefined && own !== undefined ? sharedFrom(own) : undefined;
  const place = sharedId === undefined ? named : { batch, id: sharedId };
  const record = sharedId === undefined ? own : await access.records.readRecord(batch, sharedId);
  // What has no file feeds nothing, and where it was taken from is not known.
  if (record?.status !== 'done' || (record.attempts === 0 && record.reusedFrom === undefined)) return undefined;
  if (isRetouched(record)) return 'changed';
  const taken = source && rendersOf(record).find(({ finishedAtMs }) => finishedAtMs === source.atMs);
  const submittedAtMs = (source ? taken : record)?.submittedAtMs ?? record.reusedSubmittedAtMs;
  const given = await ownUrlOf(access.ledger, { ...place, reusedFrom: record.reusedFrom, submittedAtMs });
  const now = { nowMs: Date.now(), timeScale: config.timeScale, waits: waitsOf(config) };
  return given !== undefined && staysReadable(record.kind, given, row, now) ? undefined : 'old';
}

const UNREADABLE = {
  old: 'was rendered before, and the URL that the service gave for it does not live for the longest render of the row',
  skipped: 'is left alone for the file that is there, of which the service has given no URL',
  changed: 'was changed after it was rendered, and the URL that the service gave for it is of the file as it was',
};

function flawText({ id }: Row, media: FedMedia, why: keyof typeof UNREADABLE): string {
  return `row '${id}': ${referenceText(media)} ${UNREADABLE[why]}; render it again, or write to a bucket (--out s3://…) under another --name`;
}
