import { targetProblem } from '../domain/notice.js';
import { safeText } from '../domain/secret.js';
import type { ConfigProblem } from './config-error.js';
import type { Config } from './types.js';

export interface NotifySources {
  valueOf(path: string): unknown;
  /** How a message names the setting: its flag, variable or path. */
  nameOf(path: string): string;
  /** Given by a flag, the environment or the user's own file, not by a file of a folder. */
  isOwn(path: string): boolean;
}

/** Reads where notices go; every problem is one sentence (`B56`) that shows no more of a URL than its host. */
export function readNotify(given: NotifySources, problems: ConfigProblem[]): Pick<Config, 'notify' | 'notifySecret'> {
  const isOwn = given.isOwn('notify');
  const notify = ((given.valueOf('notify') as string[] | undefined) ?? []).map((to) => ({ to, isOwn }));
  for (const target of notify) {
    const wish = targetProblem(target);
    if (wish === undefined) continue;
    const shown = safeText(target.to.replace(/^([a-z]+:\/\/)([^/]*@)?([^/]*).*$/i, '$1$3'), 80);
    problems.push({ code: 'B56', message: `${given.nameOf('notify')} ${wish}, got '${shown}'` });
  }
  const notifySecret = (given.valueOf('notifySecret') as string | undefined) ?? null;
  if (notifySecret !== null && !given.isOwn('notifySecret')) {
    const message =
      "notifySecret is taken only from a flag, the environment or the user's own settings file: set CALLSHEET_NOTIFY_SECRET";
    problems.push({ code: 'B56', message });
  }
  return { notify, notifySecret };
}
