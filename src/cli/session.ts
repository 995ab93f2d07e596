import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import envPaths from 'env-paths';
import { type ApiKey, isReadOnce, keyOrigin, readApiKey } from '../config/api-key.js';
import type { FlagValues } from '../config/layers.js';
import { type Config, type LoadedConfig, loadConfig, readSettings } from '../config.js';
import { defined } from '../domain/defined.js';
import { defaultDataFolder } from '../engine/places.js';
import { nearestWord } from '../manifest/suggest.js';
import { productVersion } from '../package-root.js';
import type { Cli } from './io.js';
import { createTerminal, type Terminal } from './terminal.js';
import { UserError } from './user-error.js';

/** The settings of a command, with whom it tells that a bucket lets it wait. */
export interface CommandConfig extends Config {
  onLongRequest?: (bucket: string) => void;
}

/** What a command that uses settings starts with. */
export interface Session extends LoadedConfig {
  config: CommandConfig;
  cli: Cli;
  terminal: Terminal;
  isJson: boolean;
  /** As `--config` named it. */
  configFile: string | undefined;
  keyFile: string | undefined;
  /** A later command cannot read it there again. */
  isKeyReadOnce: boolean;
  /** Where the key would come from, for people; undefined where none is given. */
  keyOrigin: string | undefined;
  /** Reads the key, once; throws `ConfigError` `B49`. */
  apiKey(): Promise<ApiKey>;
}

interface GeneralOptions {
  config?: string;
  apiKeyFile?: string;
  json?: boolean;
  quiet?: boolean;
  verbose?: boolean;
}

interface SessionTerms {
  /**
   * Refuses before the key is read first: a settings file may have come with somebody else's project. One that the
   * command itself names is the user's word.
   */
  mayUseKey: (session: Session) => Promise<void>;
  /** The command explains the settings, also those that contradict each other. */
  explains: boolean;
}

/** Loads the settings of a command; throws `ConfigError`. */
export async function loadSession(
  command: Command,
  cli: Cli,
  flags: FlagValues,
  { mayUseKey, explains }: SessionTerms,
): Promise<Session> {
  const { io } = cli;
  const options = command.opts<GeneralOptions>();
  const loaded = await (explains ? readSettings : loadConfig)({
    flags,
    ...defined({ configFile: options.config }),
    env: io.env,
    cwd: io.cwd,
    userFolder: userFolder(io.env),
    version: productVersion(),
    defaultDataFolder,
    nearestWord,
  });
  cli.dataFolder = loaded.config.data;
  const terminal = createTerminal(io, options);
  for (const warning of loaded.warnings) terminal.warn(warning);
  const readKey = async (): Promise<ApiKey> => {
    if (options.config === undefined) await mayUseKey(session);
    const { env, cwd, stdin } = io;
    const readStdin = () => readAll(stdin, 4096);
    return readApiKey({ env, cwd, readStdin, ...defined({ keyFile: options.apiKeyFile }) });
  };
  let key: Promise<ApiKey> | undefined;
  const session: Session = {
    ...loaded,
    config: { ...loaded.config, onLongRequest: tellOfWait(terminal) },
    cli,
    terminal,
    isJson: options.json === true,
    configFile: options.config,
    keyFile: options.apiKeyFile,
    isKeyReadOnce: options.apiKeyFile !== undefined && isReadOnce(options.apiKeyFile, io.cwd),
    keyOrigin: keyOrigin(io.env, options.apiKeyFile),
    apiKey: () => {
      key ??= readKey();
      return key;
    },
  };
  return session;
}

/** Says once that a bucket's server lets the command wait; how that ends is said by the command. */
function tellOfWait({ note }: Terminal): (bucket: string) => void {
  let isTold = false;
  return (bucket) => {
    if (!isTold) note(`waiting for the server of s3://${bucket}, which has no answer yet or asks to come again`);
    isTold = true;
  };
}

/** Where the user's own settings are: `XDG_CONFIG_HOME` and its kin. */
function userFolder(env: NodeJS.ProcessEnv): string {
  const xdg = env.XDG_CONFIG_HOME;
  if (process.platform === 'linux' && xdg !== undefined && xdg !== '') return `${xdg}/callsheet`;
  return envPaths('callsheet', { suffix: '' }).config;
}

/** Everything that comes on standard input, as text; throws when it is more than `bytesMax`. */
async function readAll(stdin: Readable, bytesMax: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin) {
    const piece = Buffer.from(part as Uint8Array | string);
    bytes += piece.length;
    if (bytes > bytesMax) throw new UserError(`standard input is longer than ${bytesMax} bytes`);
    parts.push(piece);
  }
  return Buffer.concat(parts).toString('utf8');
}
