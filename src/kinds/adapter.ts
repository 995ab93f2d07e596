import type {
  Answer,
  ErrorForm,
  ErrorReading,
  PollReading,
  ServiceRequest,
  SubmitReading,
  VendorRefusal,
} from '../domain/exchange.js';
import type { Kind } from '../domain/kind.js';
import type { ResolvedMediaSet, Row } from '../domain/row.js';

/** How the answer to a synchronous request carries the output. */
export type ResponseFormat = 'url' | 'b64_json';

export interface SubmitOptions {
  responseFormat: ResponseFormat;
  /** `vendor-a` text2video and image2video only. */
  callbackUrl?: string;
  /** Use the alias paths of the clip endpoints (service document 1, Versioning). */
  aliasPaths?: boolean;
}

/**
 * One kind of row and how it speaks with the service. Pure: no I/O, no clock, no waiting, no retry. A reading never
 * throws: what it does not understand it calls `unreadable` or `running`, as the document's rules say.
 */
interface AdapterBase {
  readonly kind: Kind;
  /** Whose discount applies (service document 1, Discount), or null where the documents name none. */
  readonly entrypoint: 'svc' | 'vendor-a' | 'vendor-b' | 'vendor-f' | null;
  /** When the charge falls (design: the credits check). */
  readonly charge: 'at-success' | 'at-submit' | 'at-completion' | 'unknown';
  /** The forms of an error body that the documents show for this route: only these prove that a submit was refused. */
  readonly errorForms: ReadonlySet<ErrorForm>;
  /**
   * The output URL's documented life, ms, counted from completion ("hours" is read as one hour, the safe side), or
   * null where the answer itself is the output.
   */
  readonly urlLifeMs: number | null;
  /** Media columns that go as bytes only: a URL in them is fetched by us before the claim. */
  readonly bytesColumns?: readonly string[];
  submitRequest(row: Row, media: ResolvedMediaSet, options: SubmitOptions): ServiceRequest;
  /** Only for complete 2xx answers. */
  readSubmit(answer: Answer): SubmitReading;
  /** The vendor's own meaning of an error answer, before the general contract. */
  readRefusal(status: number, error: ErrorReading): VendorRefusal;
}

/** The answer to the submit is the result. */
export interface SyncAdapter extends AdapterBase {
  readonly flow: 'sync';
  /** The output that can be read from an answer of any status, whole or cut. `isAccepted`: the status was 2xx. */
  salvageOutput(body: Uint8Array, isAccepted: boolean): SalvagedOutput | undefined;
}

/** `isWhole`: the answer itself tells that no byte is missing; else the bytes may have been cut. */
export type SalvagedOutput = { url: string } | { bytes: Buffer; isWhole: boolean };

/** The submit gives a handle; polls give the result. */
export interface AsyncAdapter extends AdapterBase {
  readonly flow: 'async';
  /** The shortest documented gap between polls, ms: 5 s, avatar 10 s. */
  readonly pollBaseMs: number;
  /** The handle's documented life, ms, or null where none is documented. */
  readonly handleLifeMs: number | null;
  readonly urlLifeMs: number;
  /** A later poll returns a fresh output URL (service document 2, `vendor-e`). */
  readonly freshUrlOnPoll: boolean;
  /** The submit may name a URL for status updates (service document 2, `callback_url`). */
  readonly takesCallback?: true;
  /**
   * A handle that stands whole in an answer of any status, whole or cut; only to be believed once a poll confirms it.
   * `isAccepted`: the status was 2xx.
   */
  salvageHandle(body: Uint8Array, isAccepted: boolean): string | undefined;
  pollRequest(handle: string, row: Row): ServiceRequest;
  /** Where the answer to a poll repeats its handle, where the documents show that it does. */
  readonly echo?: readonly string[];
  /** Only for complete 2xx answers; `readPolled` is what everybody calls. */
  readPoll(answer: Answer): PollReading;
}

export type Adapter = SyncAdapter | AsyncAdapter;
