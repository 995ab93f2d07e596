import type { z } from 'zod';
import { accountLimitsSchema, breakersSchema } from './account-limits.js';
import { attemptStateSchema, jsonSchema, openFactsSchema } from './attempt-schema.js';
import { cancelledSchema, pausesSchema, rerunSchema, sampleGateSchema, stoppedSchema } from './batch-marks.js';
import { optionsSchema, orderSchema } from './batch-order.js';
import { accountSchema, batchSchema } from './bindings.js';
import { bookedSchema } from './charge-book.js';
import { frameSchema } from './feeds.js';
import { handleSchema, nameOwnerSchema, refSchema } from './handles.js';
import { checkpointSchema } from './home.js';
import { claimsSchema } from './home-mark.js';
import { booksSchema, learnedSchema, pricesSchema } from './learned.js';
import { toldSchema, waitingSchema } from './notices.js';
import { followersSchema, rerunsSchema } from './row-orders.js';
import { rowRecordSchema, storedRowSchema } from './row-records.js';
import { currentSchema } from './rows.js';
import { generationSchema } from './rows-writer.js';
import { groupSchema, trustSchema, watchSchema } from './verdicts.js';
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

const SORTS: DocumentSort[] = [
  {
    place: /^batches\/[^/]+\/attempts\//,
    name: 'a record of an attempt',
    schema: attemptStateSchema,
    isAttempt: true,
    mended: 'kept',
  },
  { place: /^batches\/[^/]+\/records\//, name: "a row's record", schema: rowRecordSchema, mended: 'again' },
  { place: /^batches\/[^/]+\/rows\/.*\.jsonl$/, name: 'rows', schema: storedRowSchema, isLines: true, mended: 'run' },
  {
    place: /^batches\/[^/]+\/rows\/.*\/generation\.json$/,
    name: 'what the rows are',
    schema: generationSchema,
    mended: 'run',
  },
  { place: /^batches\/[^/]+\/current\.json$/, name: 'which rows are run', schema: currentSchema, mended: 'run' },
  { place: /^batches\/[^/]+\/options\.json$/, name: "a batch's options", schema: optionsSchema, mended: 'run' },
  { place: /^batches\/[^/]+\/batch\.json$/, name: 'where a batch writes to', schema: batchSchema, mended: 'again' },
  {
    place: /^batches\/[^/]+\/cancelled\.json$/,
    name: 'the mark of a cancelled batch',
    schema: cancelledSchema,
    mended: 'kept',
  },
  {
    place: /^batches\/[^/]+\/stopped\.json$/,
    name: 'the mark of a stopped batch',
    schema: stoppedSchema,
    mended: 'again',
  },
  {
    place: /^batches\/[^/]+\/sample\.json$/,
    name: 'a sample that waits for approval',
    schema: sampleGateSchema,
    mended: 'kept',
  },
  { place: /^batches\/[^/]+\/reruns\.json$/, name: 'rows rendered again', schema: rerunsSchema, mended: 'again' },
  {
    place: /^batches\/[^/]+\/followers\.json$/,
    name: 'what follows a settled row',
    schema: followersSchema,
    mended: 'again',
  },
  { place: /^batches\/[^/]+\/rerun\.json$/, name: 'an order to pay again', schema: rerunSchema, mended: 'again' },
  { place: /^batches\/[^/]+\/pauses\.json$/, name: 'when it was paused', schema: pausesSchema, mended: 'again' },
  { place: /^batches\/[^/]+\/books\.json$/, name: "a batch's books", schema: booksSchema, mended: 'again' },
  { place: /^batches\/[^/]+\/waste\//, name: 'a reserved payment', schema: wasteSchema, mended: 'kept' },
  { place: /^account\.json$/, name: 'what the account is bound to', schema: accountSchema, mended: 'run' },
  { place: /^frames\//, name: 'a frame of a film', schema: frameSchema, mended: 'again' },
  { place: /^open\//, name: 'the index of open attempts', schema: openFactsSchema, mended: 'again' },
  { place: /^book\//, name: 'what an attempt cost', schema: bookedSchema, mended: 'again' },
  { place: /^balance\//, name: 'a reading of the balance', schema: checkpointSchema, mended: 'again' },
  { place: /^trust\//, name: 'whether verdicts are trusted', schema: trustSchema, mended: 'kept' },
  { place: /^groups\//, name: 'attempts that were settled together', schema: groupSchema, mended: 'kept' },
  { place: /^handles\//, name: 'whose a handle is', schema: nameOwnerSchema, mended: 'kept' },
  { place: /^watch\//, name: 'a watched verdict', schema: watchSchema, mended: 'again' },
  { place: /^(claimed|claims\/[^/]+)\.json$/, name: 'when it claimed last', schema: claimsSchema, mended: 'kept' },
  { place: /^limits\.json$/, name: 'limits of the account', schema: accountLimitsSchema, mended: 'again' },
  { place: /^learned\.json$/, name: 'what the balance taught', schema: learnedSchema, mended: 'kept' },
  { place: /^batches\/[^/]+\/terms\.json$/, name: 'what was ordered of a batch', schema: orderSchema, mended: 'run' },
  { place: /^prices\.json$/, name: 'measured prices', schema: pricesSchema, mended: 'again' },
  { place: /^notices\/waiting\//, name: 'a notice that waits', schema: waitingSchema, mended: 'again' },
  { place: /^notices\/told\//, name: 'what was told of a batch', schema: toldSchema, mended: 'again' },
  { place: /^breakers\.json$/, name: 'the open breakers', schema: breakersSchema, mended: 'again' },
  { place: /^callbacks\/.*\/attempt\.json$/, name: "a callback's attempt", schema: refSchema, mended: 'again' },
  { place: /^callbacks\/.*\/handles\//, name: "a callback's handle", schema: handleSchema, mended: 'again' },
];

const ANY: DocumentSort = { place: /\.json$/, name: 'a document', schema: jsonSchema, mended: 'again' };

/** Undefined for what is no document: media, and what was set aside. */
export function sortOf(place: string): DocumentSort | undefined {
  if (/^(media|set-aside)\//.test(place)) return undefined;
  return SORTS.find((sort) => sort.place.test(place)) ?? (ANY.place.test(place) ? ANY : undefined);
}
