import type { Command } from 'commander';
import type { Cli } from './cli.js';
import { createTerminal, plain, type TerminalOptions } from './terminal.js';

/** The first sign of life of a command that reads a manifest, before anything large is loaded. */
export function sayChecking(manifest: string, command: Command, cli: Cli): void {
  const what = manifest === '-' ? 'standard input' : plain(manifest, 500);
  createTerminal(cli.io, command.opts<TerminalOptions>()).note(`checking ${what}`);
}
