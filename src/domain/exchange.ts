import type { JsonObject } from './json.js';

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
