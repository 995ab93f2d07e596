// What the server's answers look like.

export type EtaBound = 'slots' | 'requests' | 'credits' | 'longest_job' | 'chains';

export interface Status {
  batch: string;
  state: string;
  rows: number;
  counts: Record<string, number>;
  live: Record<string, number>;
  needPerson: number;
  credits: string | null;
  creditsUnknown: number;
  createdAt: string;
  lastEndedAt: string | null;
  eta: { lowSeconds: number; highSeconds: number; bound: EtaBound | null } | null;
  stopped: string | null;
  blocked: string | null;
  out: string;
  next: string;
}

export interface Overview {
  account: string;
  isServed: boolean;
  blocked: string | null;
  balance: { credits: number; atMs: number } | null;
  batches: Status[];
  failed?: string;
}

export interface MediaFile {
  file: string;
  url: string;
  contentType: string;
  bytes: number;
  sha256: string;
  width?: number;
  height?: number;
  durationSeconds?: number;
}

export interface Row {
  id: string;
  index: number;
  title: string;
  kind: string;
  model: string;
  group: string;
  prompt: string;
  status: string;
  reasonCode: string;
  reason: string;
  needsPerson: boolean;
  credits: string | null;
  files: MediaFile[];
  submittedAtMs: number | null;
  renderedAtMs: number | null;
  finishedAtMs: number | null;
}

export interface FailureGroup {
  status: string;
  reasonCode?: string;
  reason?: string;
  count: number;
  ids: string[];
}

export interface Batch {
  status: Status;
  /** Null while the rows of a large batch are being read. */
  facets: Record<'status' | 'kind' | 'group' | 'reasonCode', [string, number][]> | null;
  failures: FailureGroup[];
}

export interface Shown {
  standing: string;
  at_stake: string | null;
  handle: string | null;
  attempts: { n: number; states: Record<string, unknown>[] }[];
  commands: { command: string; effect: string; refused: string | null }[];
}

export interface ChainLink {
  id: string;
  title: string;
  status: string;
}

export interface RowFacts {
  row: Row;
  chain: { fedBy: ChainLink[]; feeds: ChainLink[] };
  asked: Record<string, unknown> | null;
  /** As it is sent; null where none can be made. */
  request: { method: string; path: string; body: unknown } | null;
  shown: Shown | null;
  explanation: { code: string; meaning: string; retried: string; billed: string; advice: string } | null;
}

interface Bins {
  widthMs: number;
  values: number[];
}

export type GapCause = 'verdict' | 'paused' | 'requests' | 'idle' | 'unknown';

export interface Gaps {
  widthMs: number;
  values: Record<GapCause, number[]>;
  totals: Record<GapCause, number>;
}

export interface BatchTime {
  fromMs: number;
  toMs: number;
  held: { id: string; status: string; startMs: number; endMs: number }[];
  heldCount: number;
  slots: Bins;
  submits: Bins;
  gaps: Gaps | null;
  concurrent: number | null;
  rpm: number | null;
  balance: [number, number][];
  charges: [number, number][];
}
