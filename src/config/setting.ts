import type { z } from 'zod';
import { formatCredits } from '../domain/money.js';
import type * as Checks from './checks.js';

/** How the text of a flag or an environment variable becomes a value. */
type SettingForm = 'text' | 'list' | 'boolean' | 'integer' | 'number' | 'credits' | 'json';

/** The commands whose help shows a flag; every command that loads settings takes it all the same. */
export type ShownOn = 'run' | 'connection' | 'places' | 'limits' | 'slots';

/** What a value may hold, by the names of checks.ts: zod is loaded when the first value is checked, not for a help. */
type Check<Given> = (is: typeof Checks) => z.ZodType<Given>;

export interface Setting<Given = unknown, Default = unknown> {
  /** Without the dashes. */
  flag: string;
  /** What stands behind the flag in the help; absent for switches. */
  placeholder?: string;
  form: SettingForm;
  check: Check<Given>;
  default: Default | ((facts: DefaultFacts) => Default);
  help: string;
  shownOn: readonly ShownOn[];
  /** Relative values are taken from the folder of the file, or from the working folder. */
  isPath: boolean;
}

/** What defaults depend on. */
export interface DefaultFacts {
  cwd: string;
  version: string;
  /** The data folder in force. */
  data: string;
  /** The port of a base URL on this machine, which has accounts of its own. */
  rehearsalPort: number | undefined;
}

export interface PlacedSetting extends Setting {
  /** Its place in `callsheet.config.json`. */
  path: string;
}

/** Settings and groups of them, as the file has them. */
export interface SettingsTree {
  readonly [name: string]: Setting | SettingsTree;
}

/** What the settings of a tree are in force as. */
export type Values<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends Setting<infer Given, infer Default>
    ? Given | Default
    : Values<Tree[Name]>;
};

export function isSetting(node: Setting | SettingsTree): node is Setting {
  return typeof node.flag === 'string';
}

export function placedSettings(tree: SettingsTree, above = ''): PlacedSetting[] {
  return Object.entries(tree).flatMap(([name, node]) => {
    const path = `${above}${name}`;
    return isSetting(node) ? [{ path, ...node }] : placedSettings(node, `${path}.`);
  });
}

/** What stands at `limits.rpm` in something of the file's shape. */
export function valueAt(values: unknown, path: string | readonly PropertyKey[]): unknown {
  let value = values;
  for (const part of typeof path === 'string' ? path.split('.') : path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

export function putAt(values: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let group = values;
  for (const name of names) {
    group[name] ??= {};
    group = group[name] as Record<string, unknown>;
  }
  group[last] = value;
}

/** `limits.rpm` → `CALLSHEET_LIMITS_RPM`. */
export function environmentName(path: string): string {
  const words = path.replaceAll('.', '_').replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return `CALLSHEET_${words.toUpperCase()}`;
}

/** `flag` has the placeholder behind it; `%s` in the help is the default. */
export function setting<Given, Default>(
  form: SettingForm,
  flag: string,
  check: Check<Given>,
  default_: Setting<Given, Default>['default'],
  help: string,
  shownOn: readonly ShownOn[] = [],
): Setting<Given, Default> {
  const [name = '', placeholder] = flag.split(' ');
  const shown = form === 'credits' && typeof default_ === 'number' ? formatCredits(default_) : String(default_);
  const known = { flag: name, form, check, default: default_, help: help.replace('%s', shown), shownOn };
  return { ...known, isPath: false, ...(placeholder === undefined ? {} : { placeholder }) };
}

type Shown = readonly ShownOn[];

export function text(flag: string, help: string, shownOn?: Shown, check: Check<string> = (is) => is.word) {
  return setting<string, null>('text', flag, check, null, help, shownOn);
}

export function oneOf<const Choice extends string, Default extends Choice | null>(
  flag: string,
  choices: readonly Choice[],
  default_: Default,
  help: string,
  shownOn?: Shown,
) {
  return setting<Choice, Default>('text', flag, (is) => is.oneOf(choices), default_, help, shownOn);
}

export function folder(flag: string, default_: (facts: DefaultFacts) => string, help: string, shownOn: Shown) {
  const known = setting<string, string>('text', `${flag} <folder>`, (is) => is.word, default_, help, shownOn);
  return { ...known, isPath: true };
}

export function flagOnly(flag: string, help: string, shownOn?: Shown) {
  return setting<boolean, boolean>('boolean', flag, (is) => is.flag, false, help, shownOn);
}

export function credits(flag: string, defaultNano: number, help: string, shownOn?: Shown) {
  return setting<number, number>('credits', `${flag} <credits>`, (is) => is.credits, defaultNano, help, shownOn);
}

export function seconds(flag: string, default_: number, help: string, least = 0) {
  return setting<number, number>(
    'number',
    `${flag} <number>`,
    (is) => is.number(least, 86_400, 'seconds'),
    default_,
    help,
  );
}

export function integer(flag: string, most: number, help: string, shownOn: Shown) {
  return setting<number, null>('integer', `${flag} <n>`, (is) => is.wholeNumber(1, most), null, help, shownOn);
}

export function json<Given>(flag: string, check: Check<Given>, default_: Given, help: string, shownOn?: Shown) {
  return setting<Given, Given>('json', `${flag} <json>`, check, default_, help, shownOn);
}
