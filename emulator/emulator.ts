/** The emulator: a double of the media generation service on 127.0.0.1, with money, caps, time, media and faults. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SVC_CLIP_ROUTES } from './families/svc-clips.js';
import { SVC_EDIT_ROUTES } from './families/svc-edits.js';
import { SVC_IMAGE_ROUTES } from './families/svc-images.js';
import { VENDOR_A_ROUTES } from './families/vendor-a.js';
import { VENDOR_B_ROUTES } from './families/vendor-b.js';
import { SHARED_ROUTES } from './families/vendor-c-and-g.js';
import { VENDOR_D_ROUTES } from './families/vendor-d.js';
import { VENDOR_E_ROUTES } from './families/vendor-e.js';
import { VENDOR_F_ROUTES } from './families/vendor-f.js';
import { VENDOR_F_INTERACTION_ROUTES } from './families/vendor-f-interactions.js';
import { createFaultEngine } from './faults/fault-engine.js';
import { createKeys } from './http/keys.js';
import { createRouteCheck } from './http/known-routes.js';
import { createRouter } from './http/router.js';
import { createEmulatorServer } from './http/server.js';
import { type Truth, truthOf } from './http/truth-page.js';
import { createOutputs } from './media/outputs.js';
import { ACCOUNT_ROUTES } from './model/account.js';
import { createAccounts } from './model/accounts.js';
import { createClock, createScheduler } from './model/clock.js';
import { type EmulatorOptions, resolveOptions } from './model/options.js';
import { createSteering, type Steering } from './model/steering.js';
import { createRecorder } from './model/truth.js';
import type { Route, World } from './model/world.js';

export type { FaultAction } from './faults/fault-actions.js';
export { type FaultRule, parseEmulatorFaults } from './faults/faults.js';
export type { Truth } from './http/truth-page.js';
export type { Plan } from './model/limits.js';
export type { EmulatorOptions } from './model/options.js';
export { parsePriceRules } from './model/prices.js';

/** Every route of the service, in the order of the documents. */
const ROUTES: readonly Route[] = [
  ...ACCOUNT_ROUTES,
  ...SVC_IMAGE_ROUTES,
  ...SVC_EDIT_ROUTES,
  ...SVC_CLIP_ROUTES,
  ...VENDOR_F_INTERACTION_ROUTES,
  ...VENDOR_B_ROUTES,
  ...VENDOR_A_ROUTES,
  ...SHARED_ROUTES,
  ...VENDOR_D_ROUTES,
  ...VENDOR_E_ROUTES,
  ...VENDOR_F_ROUTES,
];

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
  const resolved = resolveOptions(options);
  const clock = createClock(resolved.speed);
  const router = createRouter(ROUTES);
  let port = resolved.port;
  const baseUrl = (): string => `http://127.0.0.1:${port}`;
  const world: World = {
    options: resolved,
    clock,
    scheduler: createScheduler(clock),
    accounts: createAccounts(clock, resolved),
    keys: createKeys(clock, resolved.keys),
    faults: createFaultEngine(resolved.seed, resolved.faults, createRouteCheck(router)),
    recorder: createRecorder(),
    outputs: createOutputs(clock, resolved.seed, baseUrl),
    jobs: new Map(),
    balanceLagSeconds: resolved.assumptions.balanceLagSeconds,
    restrictedModels: resolved.restrictedModels,
    lastAnswers: new Map(),
    withheld: new Set(),
    baseUrl,
  };
  for (const account of ['default', ...world.keys.accounts()]) world.accounts.get(account);
  const server = createEmulatorServer(world, router);
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
