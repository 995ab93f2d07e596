import type { Random } from './random.js';
import type { Scheduler } from './scheduler.js';

/**
 * Who is acting now. Only one actor runs between two events, so one variable takes the place of the SDK's
 * asynchronous context.
 */

/** The wall clock's reading at the start of every seed, epoch ms. */
export const EPOCH_MS = 1_750_000_000_000;

/** A process that runs activities: it can die, be stopped for a while, and have a wrong clock. */
export interface Host {
  name: string;
  isAlive(): boolean;
  /** How long its events must wait because it is stopped, ms. */
  stoppedForMs(): number;
  /** Wall clock, epoch ms. */
  wallMs(): number;
  /** Draws whether it dies at this very moment; then nothing of it goes on. */
  diesNow(): boolean;
}

export interface ActivityActor {
  what: 'activity';
  host: Host;
  attempt: number;
  /** When the activity was scheduled first, virtual ms. */
  scheduledMs: number;
  heartbeatDetails: unknown;
  heartbeat(details: unknown): void;
  /** A sign of life was answered with that the server does not wait for it any more. */
  isGivenUp(): boolean;
}

/** What one workflow run gives to the primitives of `@temporalio/workflow`; see `temporal/`. */
export interface WorkflowActor {
  what: 'workflow';
  run: unknown;
}

export interface Sim {
  scheduler: Scheduler;
  random: Random;
  actor: ActivityActor | WorkflowActor | undefined;
}

let current: Sim | undefined;

export function enter(sim: Sim | undefined): void {
  current = sim;
}

export function sim(): Sim {
  if (!current) throw new Error('no seed is running');
  return current;
}

/** Waits for something that takes time in the host of the activity at hand; a dead host never hears the end of it. */
export function inHost<T>(delayMs: number, effect: () => T): Promise<T> {
  const { promise, arriveAfter } = hostPromise<T>();
  arriveAfter(delayMs, effect);
  return promise;
}

/** A promise of the actor at hand that somebody else keeps, in that actor's name. */
export function hostPromise<T>(): { promise: Promise<T>; arriveAfter: (delayMs: number, effect: () => T) => void } {
  const at = sim();
  const { actor } = at;
  let keep: { resolve: (value: T) => void; reject: (error: unknown) => void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    keep = { resolve, reject };
  });
  const arriveAfter = (delayMs: number, effect: () => T): void => {
    at.scheduler.after(delayMs, () => {
      if (actor?.what === 'activity') {
        if (!actor.host.isAlive()) return;
        const stoppedMs = actor.host.stoppedForMs();
        if (stoppedMs > 0) {
          arriveAfter(stoppedMs, effect);
          return;
        }
      }
      at.actor = actor;
      const host = actor?.what === 'activity' ? actor.host : undefined;
      // A process can die before a thing takes effect, or after it and before it knows.
      if (host?.diesNow()) return;
      try {
        const value = effect();
        if (!host?.diesNow()) keep?.resolve(value);
      } catch (error) {
        keep?.reject(error);
      }
    });
  };
  return { promise, arriveAfter };
}

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
