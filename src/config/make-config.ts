import { join, resolve } from 'node:path';
import { NANO_PER_CREDIT } from '../domain/money.js';
import { isS3Address, parseS3Address, type S3Encryption, type S3StorageClass } from '../domain/s3.js';
import { safeText } from '../domain/secret.js';
import { RENDER_MAX_SECONDS } from '../kinds/facts.js';
import { type BaseUrl, readBaseUrl } from './base-url.js';
import { readCallbacks } from './callbacks.js';
import { ConfigError, type ConfigProblem } from './config-error.js';
import { readNotify } from './notify.js';
import type { GivenSettings } from './schema.js';
import type { Config } from './types.js';

export interface GivenValues {
  /** The value of the highest source that gives one; undefined when none does. */
  valueOf(path: string): unknown;
  /** The same without the command line's flags. */
  behindFlags(path: string): unknown;
  /** The folder that a relative path of this setting starts from. */
  folderOf(path: string): string;
  /** How a message names the setting: its flag, variable or path. */
  nameOf(path: string): string;
  /** Given by a flag, the environment or the user's own file, not by a file of a folder. */
  isOwn(path: string): boolean;
  version: string;
  defaultDataFolder: () => string;
}

const NAME = /^(?!.*\.\.)[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,118}[A-Za-z0-9_-])?$/;

type Given<Key extends keyof GivenSettings> = NonNullable<GivenSettings[Key]>;

/** Puts defaults behind what is given and checks what settings say together; throws `ConfigError`. */
export function makeConfig(given: GivenValues): Config {
  // The layers were checked against the schema, so a value at a path has the schema's type.
  const get = <Value>(path: string): Value | undefined => given.valueOf(path) as Value | undefined;
  const problems: ConfigProblem[] = [];
  const baseUrl = baseUrlFrom(get<string>('baseUrl'), problems);
  const data = folderFrom(given, 'data') ?? given.defaultDataFolder();
  const config: Config = {
    baseUrl: baseUrl?.origin ?? null,
    userAgent: get<string>('userAgent') ?? `callsheet/${given.version}`,
    out: folderFrom(given, 'out') ?? resolve(given.folderOf('out'), 'out'),
    data,
    home: folderFrom(given, 'home') ?? join(data, 'home'),
    account: {
      name: get<string>('account.name') ?? (baseUrl?.isLoopback === true ? `rehearsal-${baseUrl.port}` : 'default'),
      exclusive: get<boolean>('account.exclusive') ?? false,
    },
    ambiguity: get<Given<'ambiguity'>>('ambiguity') ?? 'hold',
    alwaysMaxWaste: get<number>('alwaysMaxWaste') ?? 0,
    sync: { maxWaste: get<number>('sync.maxWaste') ?? 0 },
    waits: {
      lambdaSeconds: get<number>('waits.lambdaSeconds') ?? 120,
      thetaSeconds: get<number>('waits.thetaSeconds') ?? 180,
      syncMaxSeconds: get<number>('waits.syncMaxSeconds') ?? 900,
      rhoSeconds: get<number>('waits.rhoSeconds') ?? 1_800,
      renderMaxSeconds: { ...RENDER_MAX_SECONDS, ...get<Record<string, number>>('waits.renderMaxSeconds') },
    },
    limits: limitsFrom(given),
    budget: {
      maxCredits: get<number>('budget.maxCredits') ?? null,
      askAbove: get<number>('budget.askAbove') ?? NANO_PER_CREDIT,
      maxFailures: get<NonNullable<Given<'budget'>['maxFailures']>>('budget.maxFailures') ?? null,
      waitMinutes: get<number>('budget.waitMinutes') ?? 15,
    },
    prices: get<Given<'prices'>>('prices') ?? [],
    names: {
      template: get<string>('names.template') ?? null,
      onExists: get<NonNullable<Given<'names'>['onExists']>>('names.onExists') ?? 'fail',
      sidecar: get<boolean>('names.sidecar') ?? false,
    },
    svc: { aliasPaths: get<boolean>('svc.aliasPaths') ?? false },
    s3: s3From(given),
    callbacks: callbacksFrom(given, baseUrl, problems),
    ...readNotify(given, problems),
    temporal: {
      address: get<string>('temporal.address') ?? null,
      namespace: get<string>('temporal.namespace') ?? null,
    },
    timeScale: get<number>('timeScale') ?? 1,
  };
  const isBaseUrlWrong = problems.length > 0;
  problems.push(...contradictions(config, isBaseUrlWrong || baseUrl?.isLoopback === true, given));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function s3From(given: GivenValues): Config['s3'] {
  const get = <Value>(name: string): Value | null => (given.valueOf(`s3.${name}`) as Value | undefined) ?? null;
  return {
    endpoint: get<string>('endpoint'),
    region: get<string>('region'),
    forcePathStyle: get<boolean>('forcePathStyle') ?? false,
    serverSideEncryption: get<S3Encryption>('serverSideEncryption'),
    kmsKeyId: get<string>('kmsKeyId'),
    storageClass: get<S3StorageClass>('storageClass'),
  };
}

function limitsFrom(given: GivenValues): Config['limits'] {
  const value = (given: unknown): number | null => (given as number | undefined) ?? null;
  return {
    concurrency: value(given.valueOf('limits.concurrency')),
    accountConcurrency: value(given.behindFlags('limits.concurrency')),
    rpm: value(given.valueOf('limits.rpm')),
  };
}

function baseUrlFrom(text: string | undefined, problems: ConfigProblem[]): BaseUrl | undefined {
  if (text === undefined) return undefined;
  const read = readBaseUrl(text);
  if (read.ok) return read.baseUrl;
  problems.push({ code: 'B50', message: read.message });
  return undefined;
}

function callbacksFrom(
  given: GivenValues,
  baseUrl: BaseUrl | undefined,
  problems: ConfigProblem[],
): Config['callbacks'] {
  const read = readCallbacks(
    { url: given.valueOf('callbacks.url'), listen: given.valueOf('callbacks.listen') },
    baseUrl,
    given.nameOf,
  );
  problems.push(...read.problems);
  return read.callbacks;
}

function folderFrom(given: GivenValues, path: string): string | undefined {
  const value = given.valueOf(path);
  if (typeof value !== 'string') return undefined;
  return isS3Address(value) ? value.replace(/\/+$/, '') : resolve(given.folderOf(path), value);
}

/** What no setting says by itself. */
function contradictions(config: Config, mayBeRehearsal: boolean, given: GivenValues): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (!NAME.test(config.account.name)) {
    const message = `${given.nameOf('account.name')} may use letters, digits, . _ - (max 120), no dot at either end`;
    problems.push({ code: 'B56', message });
  }
  if (config.ambiguity === 'if-proved' && !config.account.exclusive) {
    const message =
      'if-proved needs account.exclusive: true (--exclusive): the balance proves nothing while others spend from the account';
    problems.push({ code: 'B53', message });
  }
  if (config.timeScale !== 1 && !mayBeRehearsal) {
    const message = `${given.nameOf('timeScale')} is for rehearsals: it needs a base URL on this machine, such as that of \`callsheet emulator\``;
    problems.push({ code: 'B56', message });
  }
  for (const path of ['out', 'home'] as const) {
    const text = given.valueOf(path);
    if (typeof text !== 'string' || !isAddressLike(text) || parseS3Address(text) !== undefined) continue;
    const message = `${given.nameOf(path)} must be a folder or s3://bucket/prefix, got '${safeText(text, 80)}'`;
    problems.push({ code: 'B56', message });
  }
  const data = given.valueOf('data');
  if (typeof data === 'string' && isAddressLike(data)) {
    problems.push({ code: 'B56', message: `${given.nameOf('data')} must be a folder on this machine` });
  }
  return problems;
}

/**
 * True for `s3:…` in whatever letters and for everything else with a scheme and a slash: half an address (an unset
 * variable in it) would silently become a folder of that name. A drive letter is no scheme.
 */
function isAddressLike(text: string): boolean {
  return /^s3:/i.test(text) || /^[a-z][a-z0-9+.-]+:[/\\]/i.test(text);
}
