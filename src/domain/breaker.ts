import type { Provider } from './kind.js';

/** No submits of this family but one probe at a time, until a probe goes through. */
export interface Breaker {
  family: Provider;
  /** `cases` = answers were lost, `outage` = the family cannot be reached. */
  cause: 'cases' | 'outage';
  sinceMs: number;
  /** Probes that failed. */
  failures: number;
  nextProbeMs: number;
}
