/** The settings: flags, environment, files and defaults become one frozen object that remembers where each came from. */
import { join, resolve } from 'node:path';
import { type CheckedLayer, checkLayer, type NearestWord } from './config/check-layer.js';
import { ConfigError, type ConfigProblem } from './config/config-error.js';
import { environmentLayer, type FlagValues, fileLayer, flagLayer, type OriginName } from './config/layers.js';
import { makeConfig } from './config/make-config.js';
import { valueAt } from './config/setting.js';
import { type Config, SETTINGS } from './config/settings.js';
import { strangeVariables } from './config/strange-variables.js';

export type { Config } from './config/settings.js';

export interface ConfigSources {
  flags: FlagValues;
  /** `--config`; else `callsheet.config.json` in the working folder, if it is there. */
  configFile?: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Where the user's own settings file is looked for (`config.json`). */
  userFolder: string;
  version: string;
  /** The data folder when no setting names one. */
  defaultDataFolder: () => string;
  nearestWord: NearestWord;
}

/** Where the value of one setting came from. */
export interface Origin {
  name: OriginName;
  /** The flag, variable or `file:line:column`; absent for defaults. */
  where?: string;
}

export interface LoadedConfig {
  config: Config;
  /** By the setting's path. */
  origins: ReadonlyMap<string, Origin>;
  /** What the settings say together that cannot be: only a command that explains them goes on with any. */
  problems: readonly ConfigProblem[];
  /** Sentences about variables that look like settings and are none. */
  warnings: string[];
}

/** Loads the settings; throws `ConfigError` with every problem that was found. */
export async function loadConfig(sources: ConfigSources): Promise<LoadedConfig> {
  const loaded = await readSettings(sources);
  if (loaded.problems.length > 0) throw new ConfigError(loaded.problems);
  return loaded;
}

/** The same for whoever explains the settings: throws only for what cannot be read as settings at all. */
export async function readSettings(sources: ConfigSources): Promise<LoadedConfig> {
  const { cwd, configFile } = sources;
  const layers = [
    await flagLayer(sources.flags, cwd),
    await environmentLayer(sources.env, cwd),
    await fileLayer('config file', resolve(cwd, configFile ?? 'callsheet.config.json'), {
      cwd,
      required: configFile !== undefined,
    }),
    await fileLayer('user file', join(sources.userFolder, 'config.json'), { cwd, required: false }),
  ];
  const checked = layers.flatMap((layer) => (layer === undefined ? [] : [checkLayer(layer, sources.nearestWord)]));
  const unread: ConfigProblem[] = checked.flatMap((one) => ('problems' in one ? one.problems : []));
  if (unread.length > 0) throw new ConfigError(unread);

  const good = checked.filter((one): one is CheckedLayer => 'given' in one);
  const origins = new Map(SETTINGS.map(({ path }) => [path, originOf(path, good)]));
  const { config, problems } = makeConfig({
    valueOf: (path) => firstGiven(path, good)?.value,
    behindFlags: (path) =>
      firstGiven(
        path,
        good.filter(({ layer }) => layer.origin !== 'flag'),
      )?.value,
    folderOf: (path) => firstGiven(path, good)?.layer.folder ?? cwd,
    nameOf: (path) => firstGiven(path, good)?.layer.nameOf(path) ?? path,
    whereOf: (path) => firstGiven(path, good)?.layer.whereOf(path.split('.')),
    originOf: (path) => firstGiven(path, good)?.layer.origin,
    cwd,
    version: sources.version,
    defaultDataFolder: sources.defaultDataFolder,
  });
  return {
    config: deepFreeze(config),
    origins,
    problems,
    warnings: [...strangeVariables(sources.env, sources.nearestWord), ...idleSettings(config)],
  };
}

interface GivenValue {
  value: unknown;
  layer: CheckedLayer['layer'];
}

function firstGiven(path: string, layers: CheckedLayer[]): GivenValue | undefined {
  for (const { layer, given } of layers) {
    const value = valueAt(given, path);
    if (value !== undefined) return { value, layer };
  }
  return undefined;
}

function originOf(path: string, layers: CheckedLayer[]): Origin {
  const found = firstGiven(path, layers);
  if (found === undefined) return { name: 'default' };
  const { layer } = found;
  return { name: layer.origin, where: layer.whereOf(path.split('.')) ?? layer.nameOf(path) };
}

/** A policy that cannot do anything is said: silently holding the rows would not be what was asked for. */
function idleSettings({ ambiguity, alwaysMaxWaste, sync }: Config): string[] {
  if (alwaysMaxWaste > 0) return [];
  const idle = [
    ...(ambiguity === 'always' ? ['ambiguity always'] : []),
    ...(sync.maxWaste > 0 ? ['sync.maxWaste'] : []),
  ];
  return idle.map(
    (setting) => `${setting} pays nothing again while alwaysMaxWaste is 0: set how many credits may be paid twice`,
  );
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
