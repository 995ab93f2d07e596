import { commandOf, type Notice, type NoticeTarget } from '../domain/notice.js';
import { postNotice } from '../service/post-notice.js';
import { messageFor, noticeJson } from './message.js';
import { runCommand } from './run-command.js';

/** `again`: it may arrive later; `refused`: it never will. */
export type Sent = { sent: 'delivered' } | { sent: 'again' | 'refused'; why: string };

/** Statuses by which a webhook says that it may take the same later. */
const LATER = [408, 429];

/** Sends a notice to one target, once. Never throws. */
export async function sendNotice(target: NoticeTarget, secret: string | null, notice: Notice): Promise<Sent> {
  const { to, isOwn } = target;
  const command = commandOf(to);
  if (command !== undefined) {
    const why = await runCommand(command, `${noticeJson(notice)}\n`);
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
