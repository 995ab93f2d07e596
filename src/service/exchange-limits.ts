/** How long an exchange may take in each of its phases, ms, and how large its answer may be. */
export interface ExchangeLimits {
  /** From the call to the first byte sent; the connector has its own limit, this one makes sure that all end. */
  startTimeoutMs: number;
  /** From the first byte sent to the answer's headers. */
  headersTimeoutMs: number;
  /** Between two pieces of the body. */
  bodyTimeoutMs: number;
  /** For each 64 KiB of the body, and for what is left at its end: a steady body may take as long as it needs. */
  rateWindowMs: number;
  /** From the call to the end of the body, connecting included; submits have no such limit. */
  totalMs?: number;
  maxBodyBytes: number;
}

/** So much of a body must come within each `rateWindowMs`. */
export const RATE_WINDOW_BYTES = 64 * 1024;
