/** Refusals in a row after which submits pause (docs/guarantees.md, T4). */
export const REFUSALS_MAX = 5;
/** A paused account is tried again after so long at the latest, service time. */
export const PAUSE_MAX_MS = 300_000;
