import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { fileReason } from '../domain/file-reason.js';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import { safeText } from '../domain/secret.js';
import type { ConfigProblem } from './config-error.js';
import { JsonTextError, readJsonText } from './json-text.js';
import { environmentName, type PlacedSetting, putAt } from './setting.js';
import { SETTINGS } from './settings.js';

/** Where a value came from. */
export type OriginName = 'flag' | 'environment' | 'config file' | 'user file' | 'default';

/** One source of settings: raw values in the shape of the file, and where each of them stands. */
export interface Layer {
  origin: OriginName;
  raw: Json;
  /** How a message names the setting at a path: a flag, a variable, or the path itself. */
  nameOf(path: string): string;
  /** `file:line:column`, or undefined where the name says it already. */
  whereOf(path: readonly PropertyKey[]): string | undefined;
  /** Relative folders start here. */
  folder: string;
  problems: ConfigProblem[];
}

/** What was given on the command line, by the setting's path. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export async function flagLayer(flags: FlagValues, folder: string): Promise<Layer> {
  const names = new Map(SETTINGS.map((setting) => [setting.path, `--${setting.flag}`]));
  const given = SETTINGS.flatMap((setting): Given[] => {
    const value = flags[setting.path];
    return value === undefined ? [] : [{ setting, value, name: `--${setting.flag}` }];
  });
  return namedLayer('flag', given, names, folder);
}

/** `CALLSHEET_…`; for Temporal the SDK's own variables stand behind them. An empty variable is none. */
export async function environmentLayer(env: NodeJS.ProcessEnv, folder: string): Promise<Layer> {
  const given = SETTINGS.flatMap((setting): Given[] => {
    const candidates = [environmentName(setting.path), ...(TEMPORAL_VARIABLES[setting.path] ?? [])];
    const name = candidates.find((one) => (env[one] ?? '') !== '');
    return name === undefined ? [] : [{ setting, value: env[name] ?? '', name }];
  });
  return namedLayer('environment', given, new Map(given.map(({ setting, name }) => [setting.path, name])), folder);
}

const TEMPORAL_VARIABLES: Readonly<Record<string, string[]>> = {
  'temporal.address': ['TEMPORAL_ADDRESS'],
  'temporal.namespace': ['TEMPORAL_NAMESPACE'],
};

/** Reads a settings file; undefined when it is absent and need not be there. */
export async function fileLayer(
  origin: 'config file' | 'user file',
  path: string,
  options: { cwd: string; required: boolean },
): Promise<Layer | undefined> {
  const shown = shownPath(path, options.cwd);
  const empty = { origin, raw: {}, folder: dirname(path), nameOf: (name: string) => name, whereOf: () => shown };
  const refused = (where: string, message: string): Layer => ({
    ...empty,
    problems: [{ where, code: 'B56', message }],
  });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    if (code === 'ENOENT' && !options.required) return undefined;
    if (code === 'EISDIR') {
      const wish = options.required ? '--config must name a file' : 'a settings file must be a file';
      return refused(shown === '' ? '.' : shown, `is a folder; ${wish}`);
    }
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return refused(shown, 'is not valid UTF-8; save as UTF-8');
    const remedy = options.required ? 'correct --config or the file' : 'correct the file';
    return refused(shown, `cannot be read: ${fileReason(error)}; ${remedy}`);
  }
  try {
    const { value, placeOf } = readJsonText(text);
    const whereOf = (at: readonly PropertyKey[]): string => {
      const { line, column } = placeOf(at);
      return `${shown}:${line}:${column}`;
    };
    return { ...empty, raw: value, whereOf, problems: [] };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return refused(`${shown}:${error.place.line}:${error.place.column}`, error.message);
  }
}

interface Given {
  setting: PlacedSetting;
  value: string | boolean | readonly string[];
  name: string;
}

async function namedLayer(
  origin: OriginName,
  given: Given[],
  names: ReadonlyMap<string, string>,
  folder: string,
): Promise<Layer> {
  const raw: JsonObject = {};
  const problems: ConfigProblem[] = [];
  for (const { setting, value, name } of given) {
    const read = typeof value === 'string' ? await readValue(setting, value, folder) : { value: jsonOf(value) };
    if ('message' in read) problems.push({ code: 'B56', message: `${name} ${read.message}` });
    else putAt(raw, setting.path, bareValue(setting, read.value));
  }
  return { origin, raw, folder, problems, nameOf: (path) => names.get(path) ?? path, whereOf: () => undefined };
}

/** The setting's own value also where it comes under its name, as it stands in a settings file: `{"prices": […]}`. */
function bareValue({ form, path }: PlacedSetting, value: Json): Json {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const isNamed = form === 'json' && isJsonObject(value) && Object.keys(value).join() === name;
  return isNamed ? (value[name] ?? null) : value;
}

function jsonOf(value: boolean | readonly string[]): Json {
  return typeof value === 'boolean' ? value : [...value];
}

/** The text of a flag or variable as a value; what it cannot be stays text, so that the schema refuses it. */
async function readValue(
  setting: PlacedSetting,
  text: string,
  folder: string,
): Promise<{ value: Json } | { message: string }> {
  switch (setting.form) {
    case 'text':
    case 'credits':
      return { value: text };
    case 'list':
      // A variable holds one a line, or JSON.
      return /^\s*\[/.test(text) ? readJsonValue(text, folder) : { value: text.split(/\s*\n\s*/).filter(Boolean) };
    case 'boolean':
      return { value: text === 'true' ? true : text === 'false' ? false : text };
    case 'integer':
      return { value: /^\d{1,15}$/.test(text) ? Number(text) : text };
    case 'number':
      return { value: /^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text };
    case 'json':
      return readJsonValue(text, folder);
  }
}

/** JSON as it stands, or the path of a file that holds it. */
async function readJsonValue(text: string, folder: string): Promise<{ value: Json } | { message: string }> {
  const isInline = /^\s*[[{]/.test(text);
  try {
    return { value: readJsonText(isInline ? text : await readMarkedText(resolve(folder, text))).value };
  } catch (error) {
    if (error instanceof JsonTextError) {
      const where = `${error.place.line}:${error.place.column}`;
      return { message: `is no JSON at ${isInline ? where : `${safeText(text, 80)}:${where}`}: ${error.message}` };
    }
    return { message: `must be JSON or a JSON file, ${unreadText(text, error)}` };
  }
}

/** The text of a file; editors of Windows put a byte order mark before JSON. */
async function readMarkedText(path: string): Promise<string> {
  return new TextDecoder().decode(await readFile(path));
}

/** A word that names no file may have been meant as JSON: only what is there is told as a file that cannot be read. */
function unreadText(text: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const shown = `'${safeText(text, 80)}'`;
  if (text === '' || code === '' || ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) return `got ${shown}`;
  return code === 'EISDIR' ? `but ${shown} is a folder` : `but ${shown} cannot be read: ${fileReason(error)}`;
}

function shownPath(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
}
