/** What a row asks for: `provider/task`. Which there are, src/kinds says. */
export type Kind = `${Provider}/${string}`;

/** The part of a kind before the slash. */
export type Provider = string;

export function providerOf(kind: Kind): Provider {
  return kind.slice(0, kind.indexOf('/'));
}

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
