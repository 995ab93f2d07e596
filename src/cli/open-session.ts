import type { Command } from 'commander';
import type { ApiKey } from '../config/api-key.js';
import { valueAt } from '../config/setting.js';
import { settingAt } from '../config/settings.js';
import type { Cli } from './io.js';
import type { GeneralOptions, Session } from './session.js';

/** Loads the settings of a command; what that needs is loaded only now, so that help stays instant. */
export async function openSession(command: Command, cli: Cli): Promise<Session> {
  const { loadSession } = await import('./session.js');
  const session = await loadSession(command, cli);
  // A file that the command itself names is the user's word.
  if (command.opts<GeneralOptions>().config !== undefined) return session;
  let key: Promise<ApiKey> | undefined;
  const readTrusted = async (): Promise<ApiKey> => {
    const { refuseStrangeBaseUrl } = await import('./access/home-access.js');
    await refuseStrangeBaseUrl(session);
    return session.apiKey();
  };
  return {
    ...session,
    apiKey: () => {
      key ??= readTrusted();
      return key;
    },
  };
}

/** Flags without which a later command would look elsewhere. */
const PLACE_SETTINGS = ['baseUrl', 'data', 'home', 'account.name', 'temporal.address', 'temporal.namespace'];

/** A command to type next, with the flags that told this one where to look: `callsheet watch shots --data ./d`. */
export function commandHint(session: Session, words: string): string {
  const flags = PLACE_SETTINGS.flatMap((path) => {
    if (session.origins.get(path)?.name !== 'flag') return [];
    return [`--${settingAt(path)?.flag} ${shellWord(String(valueAt(session.config, path)))}`];
  });
  return ['callsheet', words, ...flags].join(' ');
}

/** A word as a shell takes it. */
function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
