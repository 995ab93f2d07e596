import { resolve } from 'node:path';
import type { AccountSettings } from '../contract/account.js';
import { defined } from '../domain/defined.js';
import { targetProblem } from '../domain/notice.js';
import { isAddressLike, isS3Address, parseS3Address, S3_FORM } from '../domain/s3.js';
import { safeText, withoutTypedKeys } from '../domain/secret.js';
import { type BaseUrl, readBaseUrl, readCallbacks } from './base-url.js';
import { ConfigError, type ConfigProblem } from './config-error.js';
import type { OriginName } from './layers.js';
import { type DefaultFacts, environmentName, type PlacedSetting, putAt } from './setting.js';
import { type Config, type OwnValues, SETTINGS, SETTINGS_TREE } from './settings.js';
import { shownTarget } from './shown-target.js';

interface GivenValues {
  /** The value of the highest source that gives one; undefined when none does. */
  valueOf(path: string): unknown;
  /** The same without the command line's flags. */
  behindFlags(path: string): unknown;
  /** The folder that a relative path of this setting starts from. */
  folderOf(path: string): string;
  /** How a message names the setting: its flag, variable or path. */
  nameOf(path: string): string;
  /** `file:line:column` of the value; undefined where its name says it already, or none gives one. */
  whereOf(path: string): string | undefined;
  /** The source of the value; undefined when none gives one. */
  originOf(path: string): OriginName | undefined;
  cwd: string;
  version: string;
  defaultDataFolder: () => string;
}

const NAME = /^(?!.*\.\.)[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,118}[A-Za-z0-9_-])?$/;

/** Puts defaults behind what is given, and tells what settings say together that cannot be. */
export function makeConfig(given: GivenValues): { config: Config; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const baseUrl = baseUrlFrom(given, problems);
  const facts: DefaultFacts = {
    cwd: given.cwd,
    version: given.version,
    data: folderFrom(given, 'data') ?? given.defaultDataFolder(),
    rehearsalPort: baseUrl?.isLoopback === true ? baseUrl.port : undefined,
  };
  // The layers were checked by the table, so that each value has its setting's type.
  const values = {};
  for (const setting of SETTINGS) putAt(values, setting.path, inForce(setting, given, facts));
  const own = values as OwnValues;
  const { waits, limits } = own;
  const config: Config = {
    ...own,
    baseUrl: baseUrl?.origin ?? null,
    waits: {
      ...waits,
      renderMaxSeconds: { ...SETTINGS_TREE.waits.renderMaxSeconds.default, ...waits.renderMaxSeconds },
    },
    limits: {
      ...limits,
      accountConcurrency: (given.behindFlags('limits.concurrency') ?? null) as number | null,
      accountRpm: (given.behindFlags('limits.rpm') ?? null) as number | null,
    },
    callbacks: readCallbacks(given, baseUrl, problems),
    ...readNotify(given, problems),
  };
  const isBaseUrlWrong = problems.length > 0;
  problems.push(...contradictions(config, isBaseUrlWrong || baseUrl?.isLoopback === true, given));
  return { config, problems };
}

function problemOf(given: GivenValues, path: string, code: ConfigProblem['code'], message: string): ConfigProblem {
  return { code, message, ...defined({ where: given.whereOf(path) }) };
}

function inForce(
  { path, isPath, default: byDefault }: PlacedSetting,
  given: GivenValues,
  facts: DefaultFacts,
): unknown {
  const value = isPath ? folderFrom(given, path) : given.valueOf(path);
  if (value !== undefined) return value;
  return typeof byDefault === 'function' ? byDefault(facts) : byDefault;
}

function baseUrlFrom(given: GivenValues, problems: ConfigProblem[]): BaseUrl | undefined {
  const text = given.valueOf('baseUrl');
  if (typeof text !== 'string') return undefined;
  const read = readBaseUrl(text);
  if (read.ok) return read.baseUrl;
  problems.push(problemOf(given, 'baseUrl', 'B50', read.message));
  return undefined;
}

function folderFrom(given: GivenValues, path: string): string | undefined {
  const value = given.valueOf(path);
  if (typeof value !== 'string') return undefined;
  return isS3Address(value) ? value.replace(/\/+$/, '') : resolve(given.folderOf(path), value);
}

/** Reads where notices go; every problem is one sentence (`B56`) that shows no more of a URL than its host. */
function readNotify(given: GivenValues, problems: ConfigProblem[]): Pick<Config, 'notify' | 'notifySecret'> {
  const origin = given.originOf('notify');
  const [isOwn, isKept] = [origin !== 'config file', origin === 'flag'];
  const secret = (given.valueOf('notifySecret') as string | undefined) ?? null;
  const notify = ((given.valueOf('notify') as string[] | undefined) ?? []).map((to) => ({ to, isOwn, secret, isKept }));
  for (const target of notify) {
    const wish = targetProblem(target);
    if (wish === undefined) continue;
    const message = `${given.nameOf('notify')} ${wish}, got '${shownTarget(target.to)}'`;
    problems.push(problemOf(given, 'notify', 'B56', message));
  }
  return { notify, notifySecret: secret };
}

/** What no setting says by itself. */
function contradictions(config: Config, mayBeRehearsal: boolean, given: GivenValues): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const wrong = (path: string, message: string, code: ConfigProblem['code'] = 'B56'): void => {
    problems.push(problemOf(given, path, code, message));
  };
  if (!NAME.test(config.account.name)) {
    const message = `${given.nameOf('account.name')} may use letters, digits, . _ - (max 120), no dot at either end`;
    wrong('account.name', message);
  } else if (withoutTypedKeys(config.account.name) !== config.account.name) {
    // It stands in paths, in what notices say and in the ids of a Temporal that others read.
    wrong('account.name', `${given.nameOf('account.name')} may not be an API key`);
  }
  if (config.ambiguity === 'if-proved' && !config.account.exclusive) {
    const message = `${given.nameOf('ambiguity')} if-proved needs account.exclusive: true (--exclusive): the balance proves nothing while others spend from the account`;
    wrong('ambiguity', message, 'B53');
  }
  if (config.timeScale !== 1 && !mayBeRehearsal) {
    const message = `${given.nameOf('timeScale')} is for rehearsals: it needs a base URL on this machine, such as that of \`callsheet emulator\``;
    wrong('timeScale', message);
  }
  for (const path of ['notifySecret', 'temporal.keys']) {
    if (given.originOf(path) !== 'config file') continue;
    const message = `${path} is taken only from a flag, the environment or the user's own settings file: set ${environmentName(path)}`;
    wrong(path, message);
  }
  for (const path of ['out', 'home'] as const) {
    const text = given.valueOf(path);
    if (typeof text !== 'string' || !isAddressLike(text) || parseS3Address(text) !== undefined) continue;
    const form = isS3Address(text) ? `: ${S3_FORM}` : '';
    const message = `${given.nameOf(path)} must be a folder or s3://bucket/prefix, got '${safeText(text, 80)}'${form}`;
    wrong(path, message);
  }
  const data = given.valueOf('data');
  if (typeof data === 'string' && isAddressLike(data)) {
    wrong('data', `${given.nameOf('data')} must be a folder on this machine`);
  }
  return problems;
}

/** For whoever serves the account: its flags are no batch's. */
export function withFlagsOfAccount(config: Config): Config {
  const { concurrency, rpm } = config.limits;
  return { ...config, limits: { ...config.limits, accountConcurrency: concurrency, accountRpm: rpm } };
}

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
    limits: { concurrency: limits.accountConcurrency, rpm: limits.accountRpm },
    prices: config.prices.map((rule) => ({ ...rule, components: [...rule.components] })),
    timeScale: config.timeScale,
    callbacks: { ...config.callbacks },
    syncMaxWasteNano: config.sync.maxWaste,
    s3: { ...config.s3 },
    aliasPaths: config.svc.aliasPaths,
    notices: config.notify.map((target) => ({ ...target })),
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
