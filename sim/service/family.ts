import type { JsonObject } from '../../src/domain/json.js';
import type { Kind } from '../../src/domain/kind.js';
import type { PriceUnit } from '../../src/domain/price.js';
import type { Media } from '../../src/domain/row.js';

/** When the model charges a job; `anywhere` is drawn for each seed, since the documents do not say. */
export type ChargeTime = 'at-success' | 'at-submit' | 'at-completion' | 'anywhere';

export interface JobView {
  handle: string;
  url: string;
  word: 'running' | 'succeeded' | 'failed';
  seconds: number;
  tokens: number;
}

export interface Family {
  kind: Kind;
  entrypoint: 'svc' | 'vendor-a' | 'vendor-b' | 'vendor-f' | null;
  charge: ChargeTime;
  submitPath: RegExp;
  unit: PriceUnit;
  /** Units of a row; what only the finished job tells is drawn up to `unitsMax`. */
  units: number;
  unitsMax?: number;
  row(marker: string): { cells: JsonObject; media: Record<string, Media[]> };
  accepted(handle: string): JsonObject;
  polled(job: JobView): JsonObject;
}
