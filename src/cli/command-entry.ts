import type { Command } from 'commander';
import type { Cli } from './cli.js';

/** One command with its line in the help. */
export interface CommandEntry {
  name: string;
  /** What stands behind the name in the help. */
  usage: string;
  summary: string;
  group: string;
  load: () => Promise<(command: Command, cli: Cli) => void>;
}

export type Ungrouped = Omit<CommandEntry, 'group'>;
