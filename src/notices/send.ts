import { type ChildProcess, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { commandOf, type Notice, type NoticeTarget } from '../domain/notice.js';
import { withoutOurs } from '../domain/secret.js';
import { postNotice } from '../service/vetted-request.js';
import { messageFor, noticeJson } from './message.js';

/** `again`: it may arrive later; `refused`: it never will. */
export type Sent = { sent: 'delivered' } | { sent: 'again' | 'refused'; why: string };

/** Statuses by which a webhook says that it may take the same later. */
const LATER = [408, 429];

/** Sends a notice to one target, once; a command ends with the signal, if any. Never throws. */
export async function sendNotice(target: NoticeTarget, notice: Notice, signal?: AbortSignal): Promise<Sent> {
  const { to, isOwn, secret } = target;
  const command = commandOf(to);
  if (command !== undefined) {
    const why = await runCommand(command, `${noticeJson(notice)}\n`, signal);
    return why === undefined ? { sent: 'delivered' } : { sent: 'again', why };
  }
  const answer = await postNotice({ url: to, isPublicOnly: !isOwn, ...messageFor(to, notice, secret, Date.now()) });
  if ('forbidden' in answer) return { sent: 'refused', why: answer.forbidden };
  if ('failed' in answer) return { sent: 'again', why: answer.failed };
  const { status } = answer;
  if (status >= 200 && status < 300) return { sent: 'delivered' };
  const isRefused = status >= 400 && status < 500 && !LATER.includes(status);
  return { sent: isRefused ? 'refused' : 'again', why: `HTTP ${status}` };
}

const TIMEOUT_MS = 60_000;

/**
 * Runs a command line of the user with a text on its standard input; gives why it failed. One that takes too long, or is
 * not wanted any more, is ended with everything that it started. Never throws.
 */
export function runCommand(
  line: string,
  input: string,
  signal?: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(line, {
      shell: true,
      cwd: homedir(),
      env: withoutOurs(process.env),
      stdio: ['pipe', 'ignore', 'ignore'],
      // A process group of its own; Windows has none, and would open a window.
      detached: HAS_GROUPS,
    });
    const end = (): void => endAll(child);
    const timer = setTimeout(end, timeoutMs);
    signal?.addEventListener('abort', end);
    const say = (why: string | undefined): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve(why);
    };
    child.on('error', (error: NodeJS.ErrnoException) => say(error.code ?? error.name));
    child.on('close', (code, signal) => say(code === 0 ? undefined : `ended with ${signal ?? code}`));
    // A command need not read what it is given.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

const HAS_GROUPS = process.platform !== 'win32';

function endAll(child: ChildProcess): void {
  if (!HAS_GROUPS || child.pid === undefined) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of them have ended meanwhile.
  }
}
