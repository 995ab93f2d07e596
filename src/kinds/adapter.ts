import type { ResponseFormat } from '../domain/batch.js';
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
import type { AsyncFacts, SyncFacts } from './fact.js';
import type { KindRules } from './rule.js';

/** A family: what a row of each of its kinds may ask for, and how it is asked. What is constant of them stands in facts.ts. */
export type Family = Readonly<Record<string, { rules: KindRules; wire: SyncWire | AsyncWire }>>;

/** All that is known of a kind and how it speaks with the service, as the registry puts it together. */
export type Adapter = SyncAdapter | AsyncAdapter;
export type SyncAdapter = SyncFacts & SyncWire & Filled;
export type AsyncAdapter = AsyncFacts & AsyncWire & Filled;

/** What a family need not say. */
interface Filled extends Required<Pick<Wire, 'errorForms' | 'readRefusal'>> {
  readonly kind: Kind;
  /** Media columns that go as bytes only: a URL in them is fetched by us before the claim. */
  readonly bytesColumns: readonly string[];
}

export interface SubmitOptions {
  responseFormat: ResponseFormat;
  /** Where `takesCallback` says so. */
  callbackUrl?: string;
  /** Use the alias paths of the clip endpoints (service document 1, Versioning). */
  aliasPaths?: boolean;
}

/**
 * How one kind of row speaks with the service. Pure: no I/O, no clock, no waiting, no retry. A reading never throws:
 * what it does not understand it calls `unreadable` or `running`, as the document's rules say.
 */
interface Wire {
  /** The forms of an error body that the documents show for this route: only these prove that a submit was refused. */
  readonly errorForms?: ReadonlySet<ErrorForm>;
  /** `row` has a model wherever its kind has one. */
  submitRequest(row: Row, media: ResolvedMediaSet, options: SubmitOptions): ServiceRequest;
  /** Only for complete 2xx answers. */
  readSubmit(answer: Answer): SubmitReading;
  /** The vendor's own meaning of an error answer, before the general contract. */
  readRefusal?(status: number, error: ErrorReading): VendorRefusal;
}

/** The answer to the submit is the result. */
export interface SyncWire extends Wire {
  /** The output that can be read from an answer of any status, whole or cut. `isAccepted`: the status was 2xx. */
  salvageOutput(body: Uint8Array, isAccepted: boolean): SalvagedOutput | undefined;
}

/** `isWhole`: the answer itself tells that no byte is missing; else the bytes may have been cut. */
export type SalvagedOutput = { url: string } | { bytes: Buffer; isWhole: boolean };

/** The submit gives a handle; polls give the result. */
export interface AsyncWire extends Wire {
  /**
   * A handle that stands whole in an answer of any status, whole or cut; only to be believed once a poll confirms it.
   * `isAccepted`: the status was 2xx.
   */
  salvageHandle(body: Uint8Array, isAccepted: boolean): string | undefined;
  /** The handles that the body of a callback names, wherever one may stand: its form is not shown. */
  callbackHandles?(body: Uint8Array): string[];
  pollRequest(handle: string, row: Row): ServiceRequest;
  /** Where the answer to a poll repeats its handle, where the documents show that it does. */
  readonly echo?: readonly string[];
  /** Whether a text there can be a handle at all; absent where any can. */
  isEcho?(text: string): boolean;
  /** The documents say that every word but those of an end means "still running". */
  readonly otherWordsRun?: true;
  /** Only for complete 2xx answers; `readPolled` is what everybody calls. */
  readPoll(answer: Answer): PollReading;
}
