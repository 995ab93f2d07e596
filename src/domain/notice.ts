/** What is told of a batch to whoever does not look: counts, names, credits and codes, never a prompt or a message. */

import { parseUrl } from './parse-url.js';

export type NoticeType =
  | 'done'
  | 'sampled'
  | 'review_needed'
  | 'paused'
  | 'budget'
  | 'no_progress'
  | 'late_output'
  | 'test';

export interface Notice {
  schema: 1;
  /** The same whenever the notice is sent again, so that who receives it can tell. */
  id: string;
  type: NoticeType;
  atMs: number;
  account: string;
  /** Null for a test. */
  batch: string | null;
  /** Rows by how they ended; absent where that is not what the notice is about. */
  counts?: Record<string, number>;
  /** Decimal; null where some cost is not known. */
  credits?: string | null;
  /** Why it paused or stopped, as a code. */
  reason?: string;
  /** Of the budget, percent. */
  percent?: number;
  /** Without a row that ended, minutes. */
  minutes?: number;
}

/** Where notices go. */
export interface NoticeTarget {
  /** An http(s) URL, or `command:` with a command line. */
  to: string;
  /** Given by a flag, the environment or the user's own file: only such a one may be private or a command. */
  isOwn: boolean;
  /** Signs what this webhook is sent; null = unsigned. */
  secret: string | null;
  /** Given as a flag: whoever serves the account next goes on with it. */
  isKept: boolean;
}

const COMMAND = 'command:';

/** The command line of a target that is one. */
export function commandOf(to: string): string | undefined {
  return to.startsWith(COMMAND) ? to.slice(COMMAND.length).trim() : undefined;
}

/** What a view shows of a target: the path of a webhook is often its password. */
export function targetLabel(to: string): string {
  return commandOf(to) === undefined ? new URL(to).origin : 'command';
}

/** What is wrong with a target, as the end of a sentence; undefined for a good one. */
export function targetProblem({ to, isOwn }: Pick<NoticeTarget, 'to' | 'isOwn'>): string | undefined {
  const command = commandOf(to);
  if (command !== undefined) {
    if (command === '') return 'needs a command line after `command:`';
    return isOwn ? undefined : `may name a command only ${OWN}`;
  }
  const url = parseUrl(to);
  if (url === undefined) return 'must be a URL or `command:…`';
  const { protocol, username, password, hostname } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return 'must be an https URL or `command:…`';
  if (username !== '' || password !== '') return 'must be a URL without user name and password';
  if (isOwn) return undefined;
  return protocol === 'https:' && !isPrivateName(hostname) ? undefined : `may name a private address only ${OWN}`;
}

/** By its written form alone: what a name resolves to is looked at when it is connected. */
function isPrivateName(hostname: string): boolean {
  return /^(localhost|.*\.localhost)\.?$/.test(hostname) || /^(127|10|192\.168|169\.254)\.|^\[/.test(hostname);
}

const OWN = "as a flag, in the environment or in the user's own settings file, not in a settings file of a folder";
