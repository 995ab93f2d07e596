import { z } from 'zod';
import { safeText } from '../domain/secret.js';
import * as checks from './checks.js';
import type { ConfigProblem } from './config-error.js';
import type { Layer } from './layers.js';
import { isSetting, type SettingsTree, valueAt } from './setting.js';
import { SETTINGS, SETTINGS_TREE, settingAt } from './settings.js';
import { shownTarget } from './shown-target.js';

/** The shape of `callsheet.config.json`; every field may be left out. */
export const configSchema = schemaOf(SETTINGS_TREE);

function schemaOf(tree: SettingsTree) {
  const fields = Object.entries(tree).map(([name, node]) => {
    const field: z.ZodType = isSetting(node) ? node.check(checks) : schemaOf(node);
    return [name, field.exactOptional()] as const;
  });
  return z.strictObject(Object.fromEntries(fields));
}

/** The nearest known word to a mistyped one. */
export type NearestWord = (word: string, known: Iterable<string>) => string | undefined;

export interface CheckedLayer {
  layer: Layer;
  /** In the shape of the file. */
  given: object;
}

/** Checks one source of settings by itself, so that each problem can be told where it stands. */
export function checkLayer(layer: Layer, nearestWord: NearestWord): CheckedLayer | { problems: ConfigProblem[] } {
  const read = configSchema.safeParse(layer.raw);
  if (read.success && layer.problems.length === 0) return { layer, given: read.data };
  const issues = read.error?.issues ?? [];
  return { problems: [...layer.problems, ...issues.flatMap((issue) => problemsOf(issue, layer, nearestWord))] };
}

function problemsOf(issue: z.core.$ZodIssue, layer: Layer, nearestWord: NearestWord): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => problem(layer, [...issue.path, key], unknownSetting(key, issue.path, nearestWord)));
  }
  const path = issue.path.map(String).join('.');
  const wish = issue.message.startsWith('Invalid input') ? 'must be an object of settings' : issue.message;
  const got = shown(valueAt(layer.raw, issue.path), issue.path);
  const subject = path === '' ? 'the file' : nameIn(layer, path);
  return [problem(layer, issue.path, `${subject} ${wish}${got}`)];
}

/** One text of several that a flag or a variable gave has no name but theirs: only a file has places for each. */
function nameIn(layer: Layer, path: string): string {
  const list = /^(.+)\.\d+$/.exec(path)?.[1] ?? path;
  const isGiven = settingAt(list)?.form === 'list' && layer.nameOf(list) !== list;
  return layer.nameOf(isGiven ? list : path);
}

function problem(layer: Layer, path: readonly PropertyKey[], message: string): ConfigProblem {
  const where = layer.whereOf(path);
  const code = codeOf(path.map(String).join('.'));
  return where === undefined ? { code, message } : { where, code, message };
}

function codeOf(path: string): ConfigProblem['code'] {
  if (settingAt(path)?.form === 'credits') return 'B52';
  return path === 'baseUrl' ? 'B50' : 'B56';
}

function unknownSetting(key: string, path: readonly PropertyKey[], nearestWord: NearestWord): string {
  if (/key/i.test(key) && /api|secret|^key$/i.test(key)) {
    return `'${safeText(key, 40)}' is no setting: the API key never stands in a file; set CALLSHEET_API_KEY or use --api-key-file`;
  }
  const inside = path.map((part) => `${String(part)}.`).join('');
  const siblings = SETTINGS.flatMap((setting) =>
    setting.path.startsWith(inside) ? [setting.path.slice(inside.length).split('.')[0] ?? ''] : [],
  );
  // A setting that was written at the wrong level is known by its last word.
  const byLastWord = new Map(SETTINGS.map((setting) => [setting.path.split('.').at(-1) ?? '', setting.path]));
  const elsewhere = byLastWord.get(nearestWord(key, byLastWord.keys()) ?? '');
  const nearest = nearestWord(key, siblings) ?? elsewhere;
  const hint = nearest === undefined ? '`callsheet config show` lists them' : `did you mean '${nearest}'?`;
  return `unknown setting '${safeText(inside + key, 80)}'; ${hint}`;
}

function shown(value: unknown, [setting]: readonly PropertyKey[]): string {
  if (value === undefined || setting === 'notifySecret') return '';
  if (setting === 'notify') return typeof value === 'string' && value !== '' ? `, got '${shownTarget(value)}'` : '';
  const blanks = typeof value === 'string' && value.trim() !== value ? ' with blanks beside it' : '';
  return `, got '${safeText(typeof value === 'string' ? value : JSON.stringify(value), 80)}'${blanks}`;
}
