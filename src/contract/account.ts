import type { CreditsNano } from '../domain/money.js';
import type { NoticeTarget } from '../domain/notice.js';
import type { PriceRule } from '../domain/price.js';
import type { S3Settings } from '../domain/s3.js';

/** What to do with a row whose submit answer was lost (design: policy). */
export type AmbiguityPolicy = 'hold' | 'if-proved' | 'always';

/** Everything that belongs to one account on one worker; fixed while the worker serves it. All waits unscaled. */
export interface AccountSettings {
  account: string;
  baseUrl: string;
  userAgent: string;
  /** Where the account's durable records live: an absolute folder, or `s3://bucket/prefix`. */
  home: string;
  exclusive: boolean;
  /** The command said nothing of it: what open batches run with stays. */
  isExclusiveUnsaid?: true;
  /** Λ, Θ, Ρ, Dmax (`renderMaxMs`, by provider with a `default`) and the longest synchronous call without a known end, ms. */
  waits: { lambdaMs: number; thetaMs: number; rhoMs: number; syncMaxMs: number; renderMaxMs: Record<string, number> };
  /** The user's own limits; null = the plan's. */
  limits: { concurrency: number | null; rpm: number | null };
  prices: PriceRule[];
  /** Divides the service-side waits of a rehearsal; 1 against the real service. */
  timeScale: number;
  /** Where status updates reach us from outside, and the `host:port` on which they arrive; null = polls alone. */
  callbacks: { url: string | null; listen: string | null };
  syncMaxWasteNano: CreditsNano;
  /** How the buckets of homes, outputs and inputs are reached. */
  s3: S3Settings;
  /** The command has nothing in a bucket and said nothing of them: how open batches reach theirs stays. */
  isS3Unsaid?: true;
  aliasPaths: boolean;
  /** Who is told what becomes of batches; absent where an older client handed the account over. */
  notices?: NoticeTarget[];
}

/** What the command line may read of the account while an engine runs. */
export type AccountReadWhat = 'credits' | 'discounts' | 'voices';

export interface AccountReadInput {
  account: string;
  what: AccountReadWhat;
}

/** The answer's JSON stands in the home under this key: it may be large and is nobody's history. */
export interface AccountReadResult {
  key: string;
}

/** Simultaneous jobs and requests per minute: the plan's, or less where a user says so. */
export interface Caps {
  concurrent: number;
  rpm: number;
}

export interface AccountReading extends Caps {
  balanceNano: CreditsNano | null;
  /** The balance shows all that moved before this, epoch ms. */
  shownUntilMs?: number;
  /** Of the key that was accepted. */
  keyMark?: string;
}
