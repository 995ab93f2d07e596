import type { Command } from 'commander';
import type { ApiKey } from '../config/api-key.js';
import type { Cli } from './cli.js';
import type { GeneralOptions, Session } from './session.js';

/** Loads the settings of a command; what that needs is loaded only now, so that help stays instant. */
export async function openSession(command: Command, cli: Cli): Promise<Session> {
  const { loadSession } = await import('./session.js');
  const session = await loadSession(command, cli);
  // A file that the command itself names is the user's word.
  if (command.opts<GeneralOptions>().config !== undefined) return session;
  let key: Promise<ApiKey> | undefined;
  const readTrusted = async (): Promise<ApiKey> => {
    const { refuseStrangeBaseUrl } = await import('./access/strange-base-url.js');
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
