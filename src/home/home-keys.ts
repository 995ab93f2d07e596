import { createHash } from 'node:crypto';
import type { AttemptRef } from '../domain/attempt.js';
import type { Frame } from '../domain/row.js';
import { isSafeSegment, StoreError } from '../store/port.js';

/** Where everything of an account lies in its home: the only place that knows the layout. */

const BALANCE_BUCKET_MS = 100_000_000;
export const BOOK_BUCKET_MS = 600_000;
const ATTEMPT_NAME = /^(\d{4,})\.(\d{3,})\.json$/;
const BOOK_NAME = /^(.+)\.(\d{4,})(?:\.(later|gone))?\.json$/;
const OPEN_NAME = /^(.+)\.(\d{4,})\.json$/;

export interface HomeKeys {
  account: string;
  batches: string;
  batch(batch: string): string;
  options(batch: string): string;
  currentGeneration(batch: string): string;
  /** Below it lies a folder per generation. */
  generations(batch: string): string;
  generation(batch: string, generation: string): string;
  generationFacts(batch: string, generation: string): string;
  part(batch: string, generation: string, part: number): string;
  /** Which rows those of a part feed. */
  feeds(batch: string, generation: string, part: number): string;
  /** Below it lie the attempts of all rows of a batch, as `<shard>/<id>/<record>`. */
  attemptsOf(batch: string): string;
  attempts(batch: string, id: string): string;
  attempt(ref: AttemptRef, seq: number): string;
  /** Below it lie the records of a batch's rows, as `<shard>/<id>.json`. */
  recordsOf(batch: string): string;
  record(batch: string, id: string): string;
  /** Below it lies what was gathered of a generation's rows: it can be thrown away. */
  index(batch: string, generation: string): string;
  /** What was gathered of a batch's renders: it can be thrown away. */
  renders(batch: string): string;
  blob(sha256: string): string;
  /** What was taken of a film, by its sha256. */
  frame(sha256: string, frame: Frame): string;
  balances: string;
  balanceBucket(atMs: number): string;
  balance(atMs: number, random: string): string;
  bookBuckets: string;
  bookBucket(atMs: number): string;
  charge(ref: AttemptRef, atMs: number): string;
  followUp(ref: AttemptRef, atMs: number): string;
  gone(ref: AttemptRef, atMs: number): string;
  /** What was ordered for the whole account. */
  limits: string;
  /** What single charges taught about the account. */
  learned: string;
  /** When an older build claimed last. */
  claimed: string;
  /** How far one process has noted its claims. */
  claims(claimer: string): string;
  prices: string;
  trusts: string;
  trust(atMs: number, random: string): string;
  watches: string;
  watch(ref: AttemptRef): string;
  groups: string;
  /** By the first of its members. */
  group(ref: AttemptRef): string;
  books(batch: string): string;
  opens: string;
  open(ref: AttemptRef): string;
  /** By the sha256 of a handle, or of a synchronous output's URL. */
  handle(hash: string): string;
  /** By the sha256 of a callback's token: who reads names in a home learns no URL. */
  callback(tokenHash: string): string;
  callbackHandles(tokenHash: string): string;
  callbackHandle(tokenHash: string, handleHash: string): string;
}

/** The keys of one account. Names that are no safe path segment are refused with a StoreError `BAD_KEY`. */
export function homeKeys(account: string): HomeKeys {
  const root = safe(account);
  const batches = `${root}/batches`;
  const batchFolder = (batch: string) => `${batches}/${safe(batch)}`;
  const generations = (batch: string) => `${batchFolder(batch)}/rows`;
  const rows = (batch: string, generation: string) => `${generations(batch)}/${safe(generation)}`;
  const attemptsOf = (batch: string) => `${batchFolder(batch)}/attempts`;
  const attempts = (batch: string, id: string) => `${attemptsOf(batch)}/${shardOf(id)}/${safe(id)}`;
  const recordsOf = (batch: string) => `${batchFolder(batch)}/records`;
  const balanceBucket = (atMs: number) => `${root}/balance/${bucketOf(atMs, BALANCE_BUCKET_MS)}`;
  const bookBucket = (atMs: number) => `${root}/book/${bucketOf(atMs, BOOK_BUCKET_MS)}`;
  const callbackFolder = (token: string) => `${root}/callbacks/${safe(token).slice(0, 2)}/${token}`;
  return {
    account: `${root}/account.json`,
    batches,
    batch: (batch) => `${batchFolder(batch)}/batch.json`,
    options: (batch) => `${batchFolder(batch)}/options.json`,
    currentGeneration: (batch) => `${batchFolder(batch)}/current.json`,
    generations,
    generation: rows,
    generationFacts: (batch, generation) => `${rows(batch, generation)}/generation.json`,
    part: (batch, generation, part) => `${rows(batch, generation)}/${digits(part, 6)}.jsonl`,
    feeds: (batch, generation, part) => `${rows(batch, generation)}/${digits(part, 6)}.feeds.json`,
    attemptsOf,
    attempts,
    attempt: (ref, seq) => `${attempts(ref.batch, ref.id)}/${digits(ref.n, 4)}.${digits(seq, 3)}.json`,
    recordsOf,
    record: (batch, id) => `${recordsOf(batch)}/${shardOf(id)}/${safe(id)}.json`,
    index: (batch, generation) => `${batchFolder(batch)}/index/${safe(generation)}`,
    renders: (batch) => `${root}/renders/${safe(batch)}.jsonl`,
    blob: (sha256) => `${root}/media/${safe(sha256)}`,
    frame: (sha256, frame) => `${root}/frames/${safe(sha256)}-${frame}.json`,
    balances: `${root}/balance`,
    balanceBucket,
    balance: (atMs, random) => `${balanceBucket(atMs)}/${digits(atMs, 13)}-${safe(random)}.json`,
    bookBuckets: `${root}/book`,
    bookBucket,
    charge: (ref, atMs) => `${bookBucket(atMs)}/${nameIn(ref)}.json`,
    followUp: (ref, atMs) => `${bookBucket(atMs)}/${nameIn(ref)}.later.json`,
    gone: (ref, atMs) => `${bookBucket(atMs)}/${nameIn(ref)}.gone.json`,
    learned: `${root}/learned.json`,
    limits: `${root}/limits.json`,
    claimed: `${root}/claimed.json`,
    claims: (claimer) => `${root}/claims/${safe(claimer)}.json`,
    prices: `${root}/prices.json`,
    trusts: `${root}/trust`,
    trust: (atMs, random) => `${root}/trust/${digits(atMs, 13)}-${safe(random)}.json`,
    watches: `${root}/watch`,
    watch: (ref) => `${root}/watch/${nameIn(ref)}.json`,
    groups: `${root}/groups`,
    group: (ref) => `${root}/groups/${nameIn(ref)}.json`,
    books: (batch) => `${batchFolder(batch)}/books.json`,
    opens: `${root}/open`,
    open: (ref) => `${root}/open/${nameIn(ref)}.json`,
    handle: (hash) => `${root}/handles/${safe(hash).slice(0, 2)}/${hash}.json`,
    callback: (token) => `${callbackFolder(token)}/attempt.json`,
    callbackHandles: (token) => `${callbackFolder(token)}/handles`,
    callbackHandle: (token, handle) => `${callbackFolder(token)}/handles/${safe(handle)}.json`,
  };
}

/** Two hex digits by which a million ids spread over 256 folders. */
export function shardOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 2);
}

/** `0003.001.json` → attempt 3, record 1. */
export function parseAttemptName(name: string): { n: number; seq: number } | undefined {
  const match = ATTEMPT_NAME.exec(name);
  return match ? { n: Number(match[1]), seq: Number(match[2]) } : undefined;
}

/** `<folder>/<batch>/<id>.0003.json` → its attempt; `folder` is that of the open attempts or of the watches. */
export function parseIndexKey(folder: string, key: string): AttemptRef | undefined {
  const [batch, name, ...rest] = key.slice(folder.length + 1).split('/');
  const match = OPEN_NAME.exec(name ?? '');
  if (batch === undefined || match === null || rest.length > 0) return undefined;
  return { batch, id: match[1] ?? '', n: Number(match[2]) };
}

/** `<book>/<bucket>/<batch>/<id>.0003[.later|.gone].json` → what the entry is about. */
export function parseBookKey(
  folder: string,
  key: string,
): { ref: AttemptRef; bucketMs: number; beside: '' | 'later' | 'gone' } | undefined {
  const [bucket, batch, name, ...rest] = key.slice(folder.length + 1).split('/');
  const match = BOOK_NAME.exec(name ?? '');
  if (batch === undefined || match === null || rest.length > 0) return undefined;
  const beside = match[3] === 'later' || match[3] === 'gone' ? match[3] : '';
  return { ref: { batch, id: match[1] ?? '', n: Number(match[2]) }, bucketMs: Number(bucket), beside };
}

function nameIn(ref: AttemptRef): string {
  return `${safe(ref.batch)}/${safe(ref.id)}.${digits(ref.n, 4)}`;
}

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
