import type { AccountSettings } from '../contract/account.js';
import { ConfigError } from './config-error.js';
import type { Config } from './types.js';

/** What a worker is told of the account; throws `ConfigError` (`B50`) when no base URL is set. */
export function accountSettings(config: Config): AccountSettings {
  const { limits } = config;
  return {
    account: config.account.name,
    baseUrl: requiredBaseUrl(config),
    userAgent: config.userAgent,
    home: config.home,
    exclusive: config.account.exclusive,
    waits: waitsOf(config),
    limits: { concurrency: limits.accountConcurrency, rpm: limits.rpm },
    prices: config.prices.map((rule) => ({ ...rule, components: [...rule.components] })),
    timeScale: config.timeScale,
    callbacks: { ...config.callbacks },
    syncMaxWasteNano: config.sync.maxWaste,
    s3: { ...config.s3 },
    aliasPaths: config.svc.aliasPaths,
    notices: { targets: config.notify.map((target) => ({ ...target })), secret: config.notifySecret },
  };
}

/** The waits in ms of service time. */
export function waitsOf({ waits }: Pick<Config, 'waits'>): AccountSettings['waits'] {
  return {
    lambdaMs: waits.lambdaSeconds * 1000,
    thetaMs: waits.thetaSeconds * 1000,
    syncMaxMs: waits.syncMaxSeconds * 1000,
    rhoMs: waits.rhoSeconds * 1000,
    renderMaxMs: Object.fromEntries(
      Object.entries(waits.renderMaxSeconds).map(([provider, seconds]) => [provider, seconds * 1000]),
    ),
  };
}

/** The service's address; throws `ConfigError` (`B50`) when none is set. */
export function requiredBaseUrl(config: Config): string {
  if (config.baseUrl !== null) return config.baseUrl;
  const message = 'the base URL is missing: set CALLSHEET_BASE_URL, baseUrl in callsheet.config.json, or --base-url';
  throw new ConfigError([{ code: 'B50', message }]);
}
