import type { Host } from '../engine/current.js';

/** Something that takes activities: a worker's process. */
export interface Worker extends Host {
  canWork(): boolean;
  activities: Record<string, (input: unknown) => Promise<unknown>>;
}

export interface ActivityOptions {
  queue: string;
  startToCloseMs: number;
  heartbeatMs: number;
  scheduleToCloseMs: number;
  attemptsMax: number;
  intervalMs: number;
  coefficient: number;
  intervalMaxMs: number;
  priority: number;
}
