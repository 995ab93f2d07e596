import type { z } from 'zod';
import { accountLimits, openBreakers } from './account-limits.js';
import { attemptStateSchema, jsonSchema, openFactsSchema } from './attempt-schema.js';
import { cancelled, resultsDue, sampleGate, stopped } from './batch-marks.js';
import { batchOptions, batchOrder } from './batch-order.js';
import { accountSchema, batchSchema } from './bindings.js';
import { bookedSchema } from './charge-book.js';
import { clockSchema } from './clocks.js';
import { takenFrame } from './feeds.js';
import { handleSchema, nameOwner, refSchema } from './handles.js';
import { checkpointSchema } from './home.js';
import { claimsSchema } from './home-mark.js';
import { lateOutput } from './late-outputs.js';
import { batchBooks, learnedFacts, measuredPrices } from './learned.js';
import { toldSchema, waitingSchema } from './notices.js';
import { pauses } from './pauses.js';
import { plannedPrices } from './planned-prices.js';
import { renderEnds } from './render-ends.js';
import { followers, rerun, reruns } from './row-orders.js';
import { rowRecordSchema, storedRowSchema } from './row-records.js';
import { currentSchema } from './rows.js';
import { generationSchema } from './rows-writer.js';
import { groupSchema, trustSchema, watched } from './verdicts.js';
import { wasteSchema } from './waste-book.js';

/** Every sort of document in an account's part of a home, for those that walk over all of it. */

export interface DocumentSort {
  /** The key below the account's folder. */
  place: RegExp;
  /** What it is called, for people. */
  name: string;
  schema: z.ZodType;
  isAttempt?: true;
  /** One document a line. */
  isLines?: true;
  /**
   * `again` = callsheet makes it anew, so that a damaged one can be set aside; `run` = the batch's manifest, run again,
   * writes it anew; `kept` = its being there means something: it stays, and is taken for the worst that it can say.
   */
  mended: 'again' | 'run' | 'kept';
}

function sort(place: RegExp, name: string, schema: z.ZodType, mended: DocumentSort['mended']): DocumentSort {
  return { place, name, schema, mended };
}

const inBatch = (name: string): RegExp => new RegExp(`^batches/[^/]+/${name}`);

const SORTS: DocumentSort[] = [
  { ...sort(inBatch('attempts/'), 'a record of an attempt', attemptStateSchema, 'kept'), isAttempt: true },
  sort(inBatch('records/'), "a row's record", rowRecordSchema, 'again'),
  { ...sort(inBatch('rows/.*\\.jsonl$'), 'rows', storedRowSchema, 'run'), isLines: true },
  sort(inBatch('rows/.*/generation\\.json$'), 'what the rows are', generationSchema, 'run'),
  sort(inBatch('current\\.json$'), 'which rows are run', currentSchema, 'run'),
  sort(inBatch('options\\.json$'), "a batch's options", batchOptions.schema, 'run'),
  sort(inBatch('batch\\.json$'), 'where a batch writes to', batchSchema, 'again'),
  sort(inBatch('cancelled\\.json$'), 'the mark of a cancelled batch', cancelled.schema, 'kept'),
  sort(inBatch('stopped\\.json$'), 'the mark of a stopped batch', stopped.schema, 'again'),
  sort(inBatch('sample\\.json$'), 'a sample that waits for approval', sampleGate.schema, 'kept'),
  sort(inBatch('reruns\\.json$'), 'rows rendered again', reruns.schema, 'again'),
  sort(inBatch('followers\\.json$'), 'what follows a settled row', followers.schema, 'again'),
  sort(inBatch('late/'), 'a row whose output came late', lateOutput.schema, 'kept'),
  sort(inBatch('rerun\\.json$'), 'an order to pay again', rerun.schema, 'again'),
  sort(inBatch('pauses\\.json$'), 'when it was paused', pauses.schema, 'again'),
  sort(inBatch('planned\\.json$'), 'what it was planned to cost', plannedPrices.schema, 'again'),
  sort(inBatch('results-due\\.json$'), 'that results are due', resultsDue.schema, 'again'),
  sort(inBatch('books\\.json$'), "a batch's books", batchBooks.schema, 'again'),
  sort(inBatch('terms\\.json$'), 'what was ordered of a batch', batchOrder.schema, 'run'),
  sort(inBatch('waste/'), 'a reserved payment', wasteSchema, 'kept'),
  sort(/^account\.json$/, 'what the account is bound to', accountSchema, 'run'),
  sort(/^frames\//, 'a frame of a film', takenFrame.schema, 'again'),
  sort(/^open\//, 'the index of open attempts', openFactsSchema, 'again'),
  sort(/^book\//, 'what an attempt cost', bookedSchema, 'again'),
  sort(/^balance\//, 'a reading of the balance', checkpointSchema, 'again'),
  sort(/^trust\//, 'whether verdicts are trusted', trustSchema, 'kept'),
  sort(/^groups\//, 'attempts that were settled together', groupSchema, 'kept'),
  sort(/^handles\//, 'whose a handle is', nameOwner.schema, 'kept'),
  sort(/^watch\//, 'a watched verdict', watched.schema, 'again'),
  sort(/^(claimed|claims\/[^/]+)\.json$/, 'when it claimed last', claimsSchema, 'kept'),
  sort(/^clocks\//, 'whose clock is used', clockSchema, 'again'),
  sort(/^limits\.json$/, 'limits of the account', accountLimits.schema, 'again'),
  sort(/^learned\.json$/, 'what the balance taught', learnedFacts.schema, 'kept'),
  sort(/^render-times\.json$/, 'when renders ended', renderEnds.schema, 'again'),
  sort(/^prices\.json$/, 'measured prices', measuredPrices.schema, 'again'),
  sort(/^notices\/waiting\//, 'a notice that waits', waitingSchema, 'again'),
  sort(/^notices\/told\//, 'what was told of a batch', toldSchema, 'again'),
  sort(/^breakers\.json$/, 'the open breakers', openBreakers.schema, 'again'),
  sort(/^callbacks\/.*\/attempt\.json$/, "a callback's attempt", refSchema, 'again'),
  sort(/^callbacks\/.*\/handles\//, "a callback's handle", handleSchema, 'again'),
];

const ANY = sort(/\.json$/, 'a document', jsonSchema, 'again');

/** Undefined for what is no document: media, and what was set aside. */
export function sortOf(place: string): DocumentSort | undefined {
  if (/^(media|set-aside)\//.test(place)) return undefined;
  return SORTS.find((sort) => sort.place.test(place)) ?? (ANY.place.test(place) ? ANY : undefined);
}
