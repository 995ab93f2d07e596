import { type Command, Option } from 'commander';
import type { FlagValues } from '../config/layers.js';
import { type PlacedSetting, type ShownOn, valueAt } from '../config/setting.js';
import { SETTINGS, settingAt } from '../config/settings.js';
import type { Hint } from '../domain/order-words.js';
import type { Cli } from './io.js';
import type { Session } from './session.js';

export { nameWords, orderWords } from '../domain/order-words.js';

/** Loads the settings of a command; what that needs is loaded only now, so that help stays instant. */
export function openSession(command: Command, cli: Cli): Promise<Session> {
  return openWith(command, cli, false);
}

/** The same for a command that explains the settings: those that contradict each other stand in `problems`. */
export function openExplaining(command: Command, cli: Cli): Promise<Session> {
  return openWith(command, cli, true);
}

async function openWith(command: Command, cli: Cli, explains: boolean): Promise<Session> {
  const { loadSession } = await import('./session.js');
  const mayUseKey = async (session: Session): Promise<void> => {
    const { refuseStrangeBaseUrl } = await import('./access/home-access.js');
    await refuseStrangeBaseUrl(session);
  };
  return loadSession(command, cli, givenSettings(command), { mayUseKey, explains });
}

/** Flags without which a later command would look elsewhere. */
const PLACE_SETTINGS = [
  'baseUrl',
  'data',
  'home',
  'account.name',
  's3.endpoint',
  's3.region',
  's3.forcePathStyle',
  'temporal.address',
  'temporal.namespace',
  'temporal.keys',
];

/** Commands that end with `B49` where nobody gives them the key. */
const NEEDS_KEY = /^(run|resume|retry|approve|rerun|watch|worker|review (?!list|show))\b/;

/**
 * A command to type next, with the flags that told this one where to look: `callsheet watch shots --data ./d`. Names that
 * stand behind `--` stay behind it.
 */
export function commandHint(session: Session, words: string): string {
  const flags = PLACE_SETTINGS.flatMap((path) => {
    if (session.origins.get(path)?.name !== 'flag') return [];
    const [flag, value] = [settingAt(path)?.flag, valueAt(session.config, path)];
    if (typeof value === 'boolean') return [`--${value ? '' : 'no-'}${flag}`];
    return [`--${flag} ${shellWord(String(value))}`];
  });
  const { configFile, keyFile, isKeyReadOnce } = session;
  if (configFile !== undefined) flags.unshift(`--config ${shellWord(configFile)}`);
  // What came on standard input or through a pipe cannot be typed again.
  if (keyFile !== undefined && !isKeyReadOnce && NEEDS_KEY.test(words)) {
    flags.push(`--api-key-file ${shellWord(keyFile)}`);
  }
  const [order = words, ...names] = words.split(/ (?=-- )/);
  return ['callsheet', order, ...flags, ...names].join(' ');
}

/** The same for views, which know no settings. */
export function hintsOf(session: Session): Hint {
  return (words) => commandHint(session, words);
}

/** A word as a shell takes it. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The flags that stand for settings: a command's own flag of the same name, as `dashboard --listen`, is none of them. */
const settingFlags = new WeakSet<Option>();

/** Every command that loads settings takes the flags of all of them, and shows those that it is about. */
function addSettings(command: Command, shown: ShownOn | 'all'): Command {
  for (const setting of SETTINGS) {
    const isShown = shown === 'all' || setting.shownOn.includes(shown);
    for (const option of optionsFor(setting)) {
      if (command.options.some(({ long }) => long === option.long)) continue;
      settingFlags.add(option);
      command.addOption(isShown && !option.negate ? option.helpGroup('Settings:') : option.hideHelp());
    }
  }
  for (const [flags, help] of GENERAL) command.addOption(new Option(flags, help).helpGroup('General:'));
  return command;
}

const GENERAL = [
  ['--config <file>', 'settings file (default: callsheet.config.json in this folder)'],
  ['--api-key-file <file>', 'read the API key from a file, or from standard input with -'],
  ['--json', 'machine-readable output on standard output'],
  ['-q, --quiet', 'only data, warnings and errors'],
  ['-v, --verbose', 'say more'],
] as const;

function optionsFor({ flag, placeholder, form, help }: PlacedSetting): Option[] {
  if (placeholder === undefined) return [new Option(`--${flag}`, help), new Option(`--no-${flag}`, help)];
  const option = new Option(`--${flag} ${placeholder}`, help);
  return [form === 'list' ? option.argParser(repeated) : option];
}

/** For a flag that may be given several times. */
export function repeated(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** What a command is to do is said once: of two names the first would be lost without a word. The last of a setting counts. */
function givenOnce(command: Command): Command {
  for (const option of command.options) {
    if (option.isBoolean() || option.parseArg === repeated) continue;
    let before: string | undefined;
    command.on(`option:${option.name()}`, (value: string | null) => {
      const given = value ?? '';
      if (before !== undefined && given !== before) {
        command.error(`error: ${option.long} was given twice, as '${before}' and as '${given}'`);
      }
      before = given;
    });
  }
  return command;
}

/** The settings that were given as flags, by path. */
export function givenSettings(command: Command): FlagValues {
  return Object.fromEntries(
    SETTINGS.flatMap((setting) => {
      const name = new Option(`--${setting.flag}`).attributeName();
      const isSetting = command.options.some((option) => option.attributeName() === name && settingFlags.has(option));
      if (!isSetting || command.getOptionValueSource(name) !== 'cli') return [];
      return [[setting.path, command.getOptionValue(name) as string | boolean | string[]]];
    }),
  );
}

/** The settings of a command and the end of its help: examples, then `ending` with its exit codes. */
export function withSettings(
  command: Command,
  shown: ShownOn | 'all',
  examples: readonly string[],
  ending: string,
): Command {
  return addExamples(addSettings(givenOnce(command), shown), examples, ending);
}

export function addExamples(command: Command, examples: readonly string[], ending: string): Command {
  return command.addHelpText('after', `\nExamples:\n${examples.map((one) => `  ${one}\n`).join('')}\n${ending}`);
}

/** The flag of every command that goes on with a batch: what the refusal of another home recommends. */
export function trustHomeOption(): Option {
  return new Option('--trust-home', 'this home is the right one, although the outputs or Temporal tell of another');
}

/** Of the orders that ask nothing: whoever says --yes to every order, a script or a habit, is not refused. */
export function yesOption(): Option {
  return new Option('-y, --yes', 'taken as by the other orders; this one asks nothing');
}
