import { createHash } from 'node:crypto';
import type { AttemptRef } from '../domain/attempt.js';
import type { Frame } from '../domain/row.js';
import { isSafeSegment, type Store, StoreError } from '../store/port.js';

/** Where everything of an account lies in its home: the only place that knows the layout. */

const BALANCE_BUCKET_MS = 100_000_000;
export const BOOK_BUCKET_MS = 600_000;

export type HomeKeys = ReturnType<typeof homeKeys>;

/** An account's part of a store. */
export interface HomePlace {
  store: Store;
  keys: HomeKeys;
}

/** The keys of one account. Names that are no safe path segment are refused with a StoreError `BAD_KEY`. */
export function homeKeys(account: string) {
  const root = safe(account);
  return { ...accountKeys(root), ...attemptKeys(root), ...batchKeys(`${root}/batches`), ...rowKeys(`${root}/batches`) };
}

/** What stands for the whole account. */
function accountKeys(root: string) {
  const balanceBucket = (atMs: number) => `${root}/balance/${bucketOf(atMs, BALANCE_BUCKET_MS)}`;
  return {
    account: `${root}/account.json`,
    /** What was ordered for the whole account. */
    limits: `${root}/limits.json`,
    breakers: `${root}/breakers.json`,
    /** There while somebody changes the document of that key. */
    turn: (key: string) => `${root}/turns/${createHash('sha256').update(key).digest('hex')}.json`,
    /** What single charges taught about the account. */
    learned: `${root}/learned.json`,
    /** When the latest renders ended. */
    renderEnds: `${root}/render-times.json`,
    prices: `${root}/prices.json`,
    /** What was answered of discounts. */
    discounts: `${root}/discount-answers.json`,
    /** When an older build claimed last. */
    claimed: `${root}/claimed.json`,
    /** How far one process has noted its claims. */
    claims: (claimer: string) => `${root}/claims/${safe(claimer)}.json`,
    /** By machine. */
    clocks: `${root}/clocks`,
    clock: (machine: string) => `${root}/clocks/${safe(machine)}.json`,
    balances: `${root}/balance`,
    balanceBucket,
    balance: (atMs: number, random: string) => `${balanceBucket(atMs)}/${digits(atMs, 13)}-${safe(random)}.json`,
    trusts: `${root}/trust`,
    trust: (atMs: number, random: string) => `${root}/trust/${digits(atMs, 13)}-${safe(random)}.json`,
    blob: (sha256: string) => `${root}/media/${safe(sha256)}`,
    /** What was taken of a film, by its sha256. */
    frame: (sha256: string, frame: Frame) => `${root}/frames/${safe(sha256)}-${frame}.json`,
    /** What was fetched from an address, by the sha256 of the address. */
    input: (hash: string) => `${root}/inputs/${safe(hash)}.json`,
    /** The last answer to a command's read of the account. */
    read: (what: string) => `${root}/reads/${safe(what)}.json`,
    noticesSince: `${root}/notices/since.json`,
    noticesWaiting: `${root}/notices/waiting`,
    noticesOf: (batch: string) => `${root}/notices/waiting/${safe(batch)}`,
    notice: (batch: string, number: number) => `${root}/notices/waiting/${safe(batch)}/${digits(number, 6)}.json`,
    /** The batches that such an output has come to. */
    landings: `${root}/notices/landed`,
    landed: (batch: string) => `${root}/notices/landed/${safe(batch)}.json`,
    noticesTold: (batch: string) => `${root}/notices/told/${safe(batch)}.json`,
    /** Where a damaged document goes. */
    setAside: (key: string, atMs: number) => `${root}/set-aside/${atMs}/${key.slice(root.length + 1)}`,
  };
}

/** What stands of single attempts beside the ledger. */
function attemptKeys(root: string) {
  const bookBucket = (atMs: number) => `${root}/book/${bucketOf(atMs, BOOK_BUCKET_MS)}`;
  const callbackFolder = (token: string) => `${root}/callbacks/${safe(token).slice(0, 2)}/${token}`;
  return {
    bookBuckets: `${root}/book`,
    bookBucket,
    charge: (ref: AttemptRef, atMs: number) => `${bookBucket(atMs)}/${nameIn(ref)}.json`,
    followUp: (ref: AttemptRef, atMs: number) => `${bookBucket(atMs)}/${nameIn(ref)}.later.json`,
    gone: (ref: AttemptRef, atMs: number) => `${bookBucket(atMs)}/${nameIn(ref)}.gone.json`,
    watches: `${root}/watch`,
    watch: (ref: AttemptRef) => `${root}/watch/${nameIn(ref)}.json`,
    groups: `${root}/groups`,
    /** By the first of its members. */
    group: (ref: AttemptRef) => `${root}/groups/${nameIn(ref)}.json`,
    opens: `${root}/open`,
    open: (ref: AttemptRef) => `${root}/open/${nameIn(ref)}.json`,
    lastWords: (ref: AttemptRef) => `${root}/last-words/${nameIn(ref)}.json`,
    /** By the sha256 of a handle, or of a synchronous output's URL. */
    handle: (hash: string) => `${root}/handles/${safe(hash).slice(0, 2)}/${hash}.json`,
    /** By the sha256 of a callback's token: who reads names in a home learns no URL. */
    callback: (token: string) => `${callbackFolder(token)}/attempt.json`,
    callbackHandles: (token: string) => `${callbackFolder(token)}/handles`,
    callbackHandle: (token: string, handle: string) => `${callbackFolder(token)}/handles/${safe(handle)}.json`,
    /** What was gathered of a batch's renders: it can be thrown away. */
    renders: (batch: string) => `${root}/renders/${safe(batch)}.jsonl`,
  };
}

function below(batches: string) {
  return (name: string) => (batch: string) => `${batches}/${safe(batch)}/${name}`;
}

/** What stands of a batch as a whole. */
function batchKeys(batches: string) {
  const inBatch = below(batches);
  return {
    batches,
    batch: inBatch('batch.json'),
    options: inBatch('options.json'),
    /** What its user ordered of it. */
    order: inBatch('terms.json'),
    cancelled: inBatch('cancelled.json'),
    stopped: inBatch('stopped.json'),
    pauses: inBatch('pauses.json'),
    planned: inBatch('planned.json'),
    sample: inBatch('sample.json'),
    /** An order to pay changed rows again. */
    rerun: inBatch('rerun.json'),
    /** The rows that a person had rendered again. */
    reruns: inBatch('reruns.json'),
    followers: inBatch('followers.json'),
    /** Below it lie the rows that feed others and that ended before their output came. */
    lateOf: inBatch('late'),
    late: (batch: string, id: string) => `${inBatch('late')(batch)}/${safe(id)}.json`,
    /** Its records were changed since its result files were written. */
    resultsDue: inBatch('results-due.json'),
    books: inBatch('books.json'),
    /** Below it lie the reservations of what may be paid twice. */
    wastes: inBatch('waste'),
    waste: (batch: string, number: number) => `${inBatch('waste')(batch)}/${digits(number, 8)}.json`,
    /** Below it lie the models and providers that the service closed to it. */
    closings: inBatch('closed'),
    closing: (batch: string, name: string) => `${inBatch('closed')(batch)}/${safe(name)}.json`,
  };
}

/** What stands of a batch's rows. */
function rowKeys(batches: string) {
  const inBatch = below(batches);
  const [generations, attemptsOf, recordsOf] = [inBatch('rows'), inBatch('attempts'), inBatch('records')];
  const rows = (batch: string, generation: string) => `${generations(batch)}/${safe(generation)}`;
  const attempts = (batch: string, id: string) => `${attemptsOf(batch)}/${shardOf(id)}/${safe(id)}`;
  return {
    currentGeneration: inBatch('current.json'),
    generations,
    generation: rows,
    generationFacts: (batch: string, generation: string) => `${rows(batch, generation)}/generation.json`,
    part: (batch: string, generation: string, part: number) => `${rows(batch, generation)}/${digits(part, 6)}.jsonl`,
    /** Which rows those of a part feed. */
    feeds: (batch: string, generation: string, part: number) =>
      `${rows(batch, generation)}/${digits(part, 6)}.feeds.json`,
    /** Below it lie the attempts of all rows of a batch, as `<shard>/<id>/<record>`. */
    attemptsOf,
    attempts,
    attempt: (ref: AttemptRef, seq: number) =>
      `${attempts(ref.batch, ref.id)}/${digits(ref.n, 4)}.${digits(seq, 3)}.json`,
    /** Below it lie the records of a batch's rows, as `<shard>/<id>.json`. */
    recordsOf,
    record: (batch: string, id: string) => `${recordsOf(batch)}/${shardOf(id)}/${safe(id)}.json`,
    /** Below it lies what was gathered of a generation's rows: it can be thrown away. */
    index: (batch: string, generation: string) => `${inBatch('index')(batch)}/${safe(generation)}`,
  };
}

/** Two hex digits by which a million ids spread over 256 folders. */
export function shardOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 2);
}

/** The name of an attempt's own entry in a batch's part of the book. */
export const bookName = ({ id, n }: AttemptRef) => `${safe(id)}.${digits(n, 4)}.json`;

const nameIn = ({ batch, id, n }: AttemptRef) => `${safe(batch)}/${safe(id)}.${digits(n, 4)}`;

/** The start of a time's bucket, 13 digits, so that names sort by time. */
function bucketOf(atMs: number, bucketMs: number): string {
  return digits(Math.floor(atMs / bucketMs) * bucketMs, 13);
}

function digits(value: number, width: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new StoreError('BAD_KEY', `not a number for a key: ${value}`);
  return String(value).padStart(width, '0');
}

function safe(segment: string): string {
  if (isSafeSegment(segment)) return segment;
  throw new StoreError('BAD_KEY', `not a safe name in a home: ${JSON.stringify(segment.slice(0, 200))}`);
}
