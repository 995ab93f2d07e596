import type { Json, JsonObject } from './json.js';

/** One HTTP request to the service, as a vendor builds it. `path` starts with `/v1/` and is already encoded. */
export interface ServiceRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: JsonObject;
}

/** A whole answer: the status line, the headers we look at, and the complete body. */
export interface Answer {
  status: number;
  contentType: string | undefined;
  retryAfter: string | undefined;
  /** The complete body, as it was before anything on the way packed it. */
  body: Uint8Array;
}

/** In which phase an exchange ended without a whole answer. */
export type LostPhase = 'guard' | 'dns' | 'connect' | 'tls' | 'request' | 'headers' | 'body';

/**
 * What one HTTP attempt showed. `not_sent` is a proof that no byte of the request left (service-side nothing can
 * exist); `lost` says that bytes may have left and no whole answer came back, with what did come back.
 */
export type Exchange =
  | { outcome: 'answered'; answer: Answer; tookMs: number }
  | { outcome: 'not_sent'; phase: LostPhase; code: string; message: string; tookMs: number }
  | {
      outcome: 'lost';
      phase: LostPhase;
      code: string;
      message: string;
      tookMs: number;
      status?: number;
      partialBody?: Uint8Array;
    };

/** One output of a job as the service announced it. */
export interface Output {
  /** Where to fetch it; absent when the bytes were in the answer. */
  url?: string;
  /** The bytes as base64, only inside an activity: never recorded, stored as a blob first. */
  base64?: string;
  width?: number;
  height?: number;
  durationSeconds?: number;
  frames?: number;
  frameRate?: number;
}

/** What the service said about the result beside the files. */
export interface ResultFacts {
  seed?: number;
  revisedPrompt?: string;
  /** Seconds that the service says it bills. */
  billedSeconds?: number;
  /** Lengths that the service shows, without a word on which it bills: that of the output, or amounts without a name. */
  shownSeconds?: number[];
  /** Tokens that the service says it bills. */
  billedTokens?: number;
  /** Kept exactly as the service gave it. */
  usage?: Json;
  warnings?: string[];
  /** The output came in an answer that is no success: what failed is refunded, and only the balance tells. */
  mayBeUnbilled?: true;
}

/** A vendor's reading of a complete 2xx submit answer. */
export type SubmitReading =
  | { reading: 'created'; handle: string; warning?: string }
  | { reading: 'done'; outputs: Output[]; facts: ResultFacts }
  | { reading: 'refused'; code: string; message: string }
  | { reading: 'unreadable'; why: string };

/** A vendor's reading of a complete 2xx poll answer. Unknown status words are `running` with `known: false`. */
export type PollReading =
  | { reading: 'running'; word: string; known: boolean }
  | { reading: 'succeeded'; outputs: Output[]; facts: ResultFacts }
  | { reading: 'failed'; word: string; code?: string; message: string }
  /** `hasEnded`: it says that the job ended, but neither how nor with what output. */
  | { reading: 'unreadable'; why: string; hasEnded?: true };

/**
 * Which documented form an error body has: `detail` = a `detail` string, with or without an `error` object beside it;
 * `error` = an `error` object alone; `detail_object` = the 403 of a closed model; `coded` = `code` and `message`, which
 * only the shared route of service document 2 sends; `numbered` = `message` and a provider's number as `code`, as vendor-a
 * has it in every answer; `foreign` = it has words, but of no documented form: a gateway's.
 */
export type ErrorForm = 'detail' | 'error' | 'detail_object' | 'coded' | 'numbered' | 'foreign';

/** What an error answer says in words (service document 1, Errors). */
export interface ErrorReading {
  form: ErrorForm;
  /** `error.code`, `detail.code` or the shared route's `code`; undefined where the body has none. */
  code: string | undefined;
  message: string;
  requestId: string | undefined;
  /** 403 of a closed model only: which one. */
  model?: string;
  /** 402 only: what the service says is needed and left, in credits. */
  creditsRequired?: number;
  creditsBalance?: number;
}

/**
 * What a vendor says of its own error answers, before the general contract is applied: `unreachable` = nothing was
 * sent to the provider (retry), `disabled` = the route is off for this account (stop every row of the family).
 */
export type VendorRefusal = 'unreachable' | 'disabled' | undefined;

/** Of a status: time-out, too early, too many requests or trouble of the host, which says nothing of a file or a job. */
export function speaksOfHost(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
