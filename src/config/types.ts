import type { AmbiguityPolicy } from '../contract/account.js';
import type { FailureLimit } from '../domain/batch.js';
import type { CreditsNano } from '../domain/money.js';
import type { NoticeTarget } from '../domain/notice.js';
import type { PriceRule } from '../domain/price.js';
import type { S3Settings } from '../domain/s3.js';

/** Every setting, checked, with defaults and absolute paths. Amounts are nanocredits; null = not set. */
export interface Config {
  /** `https://host`, or loopback http; null when none is set. */
  readonly baseUrl: string | null;
  readonly userAgent: string;
  /** Absolute folder or `s3://bucket/prefix`. */
  readonly out: string;
  readonly data: string;
  /** Absolute folder or `s3://bucket/prefix`. */
  readonly home: string;
  readonly account: { readonly name: string; readonly exclusive: boolean };
  readonly ambiguity: AmbiguityPolicy;
  readonly alwaysMaxWaste: CreditsNano;
  readonly sync: { readonly maxWaste: CreditsNano };
  readonly waits: {
    readonly lambdaSeconds: number;
    readonly thetaSeconds: number;
    /** The longest call for an image, an edit or an interaction: the documents show no end. */
    readonly syncMaxSeconds: number;
    readonly rhoSeconds: number;
    /** By provider, with a `default`. */
    readonly renderMaxSeconds: Readonly<Record<string, number>>;
  };
  /** The user's own; null = the plan's. A `concurrency` that is given as a flag is the command's batch's alone. */
  readonly limits: {
    readonly concurrency: number | null;
    /** Of the whole account: as the files and the environment say. */
    readonly accountConcurrency: number | null;
    readonly rpm: number | null;
  };
  readonly budget: {
    readonly maxCredits: CreditsNano | null;
    readonly askAbove: CreditsNano;
    /** null = any number. */
    readonly maxFailures: FailureLimit | null;
    readonly waitMinutes: number;
  };
  readonly prices: readonly PriceRule[];
  readonly names: {
    /** null = `{id}`, and `{part}/{id}` above 1,000 rows. */
    readonly template: string | null;
    readonly onExists: 'fail' | 'skip' | 'version';
    /** A JSON file beside each output. */
    readonly sidecar: boolean;
  };
  readonly svc: {
    /** Clips go by `/v1/videos/…` (service document 1, Versioning). */
    readonly aliasPaths: boolean;
  };
  readonly s3: Readonly<S3Settings>;
  /** `https://host/path` without a slash at the end (http on loopback), and `host:port`. */
  readonly callbacks: { readonly url: string | null; readonly listen: string | null };
  readonly notify: readonly Readonly<NoticeTarget>[];
  readonly notifySecret: string | null;
  readonly temporal: { readonly address: string | null; readonly namespace: string | null };
  readonly timeScale: number;
}
