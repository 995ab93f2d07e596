import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { openHomeAccess } from './home-access.js';

/**
 * Throws a UserError (exit 4) where the API key would go to an address that only the settings file of the working folder
 * names: such a file may have come with somebody else's project. It is trusted once the account was used with that
 * address, by a home that this file does not name either, or when a person says so at the terminal.
 */
export async function refuseStrangeBaseUrl(session: Session): Promise<void> {
  const { config, origins, cli } = session;
  const { baseUrl } = config;
  const found = origins.get('baseUrl');
  if (baseUrl === null || found?.name !== 'config file') return;
  const { home } = openHomeAccess(config);
  const isOwnHome = ['home', 'data'].every((path) => origins.get(path)?.name !== 'config file');
  const bound = isOwnHome ? await home.baseUrl() : undefined;
  if (bound === baseUrl) return;
  const where = found.where ?? 'callsheet.config.json';
  const account = `account '${config.account.name}'`;
  if (bound !== undefined) {
    throw new UserError(
      `${account} belongs to ${bound}, and ${where} names ${baseUrl}: use another --account for that service; the API key was not sent`,
      EXIT.configuration,
    );
  }
  if (cli.io.isInteractive) {
    const { askPerson } = await import('../ask-person.js');
    const question = `${where} names the service's address: send the API key of ${account} to ${baseUrl}?`;
    if (await askPerson(cli.io, question)) return isOwnHome ? home.bindBaseUrl(baseUrl) : undefined;
  }
  throw new UserError(
    `only ${where} names ${baseUrl}, with which ${account} was never used: say it with CALLSHEET_BASE_URL or --base-url; the API key was not sent`,
    EXIT.configuration,
  );
}
