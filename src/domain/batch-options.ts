/** How the answer to a synchronous request carries the output. */
export type ResponseFormat = 'url' | 'b64_json';

/** What `run` fixes for a batch; kept in the home beside its rows, never in Temporal. */
export interface BatchOptions {
  schema: 1;
  /** Absolute folder or `s3://bucket/prefix`. */
  out: string;
  onExists: 'fail' | 'skip' | 'version';
  /** A JSON file beside each output that says how it was made. */
  sidecar?: boolean;
  responseFormat: ResponseFormat;
  /** Absolute path of the manifest's folder, for failed.csv. */
  manifestFolder: string;
  /** Absolute path of the manifest that was run last; absent for standard input and in options of an earlier callsheet. */
  manifest?: string;
  maxOutputBytes: number;
}
