import type { Server } from './server.js';

/** The server of the seed that is running, for the primitives that workflows import. */

let server: Server | undefined;

export function serveSeed(of: Server | undefined): void {
  server = of;
}

export function serverOfSeed(): Server {
  if (!server) throw new Error('no seed is running');
  return server;
}
