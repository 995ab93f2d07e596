/** The emulator: a double of the media generation service on 127.0.0.1, with money, caps, time, media and faults. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulatorServer } from './http/server.js';
import { type Truth, truthOf } from './http/truth-page.js';
import type { Time } from './model/clock.js';
import type { EmulatorOptions } from './model/options.js';
import { createSteering, type Steering } from './model/steering.js';
import { createService } from './service/service.js';

export type { FaultAction } from './faults/fault-actions.js';
export { type FaultRule, parseEmulatorFaults } from './faults/faults.js';
export type { Truth } from './http/truth-page.js';
export type { Plan } from './model/accounts.js';
export type { EmulatorOptions } from './model/options.js';
export { parsePriceRules } from './model/prices.js';

/** A running emulator. */
export interface Emulator extends Steering {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** What really happened until now; the lists are live and must not be changed. */
  truth(): Truth;
  /** Refuses connections (and drops those that are open) until `resume`; time goes on. */
  pause(): Promise<void>;
  /** Listens again on the same port. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** Starts an emulator. Throws an Error with one sentence where an option is not valid or the port is taken. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  let port = options.port ?? 0;
  const baseUrl = (): string => `http://127.0.0.1:${port}`;
  const service = createService(options, { time: MACHINE_TIME, baseUrl });
  const { world } = service;
  const server = createEmulatorServer(service);
  port = await listen(server, port);
  return {
    ...createSteering(world),
    url: baseUrl(),
    port,
    truth: () => truthOf(world),
    pause: () => stop(server),
    async resume() {
      await listen(server, port);
    },
    async close() {
      world.scheduler.stop();
      await stop(server);
    },
  };
}

// setTimeout takes at most 2^31 - 1 ms; later work is looked at again when this long a wait ends.
const TIMER_MAX_MS = 2_000_000_000;

const MACHINE_TIME: Time = {
  nowMs: () => performance.timeOrigin + performance.now(),
  after(delayMs, work) {
    // A waiting render must not keep a process alive whose server is closed.
    const timer = setTimeout(work, Math.min(delayMs, TIMER_MAX_MS)).unref();
    return () => clearTimeout(timer);
  },
};

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      reject(new Error(error.code === 'EADDRINUSE' ? `port ${port} of 127.0.0.1 is in use` : error.message));
    };
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', fail);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function stop(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
