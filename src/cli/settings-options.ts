import { type Command, Option } from 'commander';
import type { FlagValues } from '../config/layers.js';
import type { PlacedSetting, ShownOn } from '../config/setting.js';
import { SETTINGS } from '../config/settings.js';

/** The flags that stand for settings: every command that loads settings takes them all, and shows those it is about. */

export type ShownSettings = ShownOn | 'all';

/** The flags that stand for settings: a command's own flag of the same name, as `dashboard --listen`, is none of them. */
const settingFlags = new WeakSet<Option>();

export function addSettings(command: Command, shown: ShownSettings): Command {
  for (const setting of SETTINGS) {
    const isShown = shown === 'all' || setting.shownOn.includes(shown);
    for (const option of optionsFor(setting)) {
      if (command.options.some(({ long }) => long === option.long)) continue;
      settingFlags.add(option);
      command.addOption(isShown && !option.negate ? option.helpGroup('Settings:') : option.hideHelp());
    }
  }
  const general = [
    new Option('--config <file>', 'settings file (default: callsheet.config.json in this folder)'),
    new Option('--api-key-file <file>', 'read the API key from a file, or from standard input with -'),
    new Option('--json', 'machine-readable output on standard output'),
    new Option('-q, --quiet', 'only data, warnings and errors'),
    new Option('-v, --verbose', 'say more'),
  ];
  for (const option of general) command.addOption(option.helpGroup('General:'));
  return command;
}

function optionsFor(setting: PlacedSetting): Option[] {
  if (setting.form === 'list') {
    const option = new Option(`--${setting.flag} ${setting.placeholder}`, setting.help);
    return [option.argParser((value: string, before: string[] = []) => [...before, value])];
  }
  if (setting.placeholder !== undefined) return [new Option(`--${setting.flag} ${setting.placeholder}`, setting.help)];
  return [new Option(`--${setting.flag}`, setting.help), new Option(`--no-${setting.flag}`, setting.help)];
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

/** The flag of every command that goes on with a batch: what the refusal of another home recommends. */
export function trustHomeOption(): Option {
  return new Option('--trust-home', 'this home is the right one, although the outputs or Temporal tell of another');
}

/** Of the orders that ask nothing: whoever says --yes to every order, a script or a habit, is not refused. */
export function yesOption(): Option {
  return new Option('-y, --yes', 'taken as by the other orders; this one asks nothing');
}
