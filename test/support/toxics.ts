// What a network can be made to be.

/** `latency`: 400 ms each way; `bandwidth`: 20 KB a second; `timeout`: nothing gets through; `reset`: RST to everything. */
export type Toxic = 'latency' | 'bandwidth' | 'timeout' | 'reset';

export interface BadNetwork {
  port: number;
  /** Undefined makes it good again. */
  become(toxic: Toxic | undefined): Promise<void>;
  stop(): Promise<void>;
}

export const LATENCY_MS = 400;
export const BYTES_PER_SECOND = 20_000;
