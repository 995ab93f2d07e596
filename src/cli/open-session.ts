import type { Command } from 'commander';
import type { Cli } from './cli.js';
import type { Session } from './session.js';

/** Loads the settings of a command; what that needs is loaded only now, so that help stays instant. */
export async function openSession(command: Command, cli: Cli): Promise<Session> {
  const { loadSession } = await import('./session.js');
  return loadSession(command, cli);
}
