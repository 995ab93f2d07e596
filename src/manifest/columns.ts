import { KINDS, type Kind } from '../domain/kind.js';
import type { Column } from '../kinds/rule.js';
import { KIND_RULES } from '../kinds/rules.js';
import { quoted } from './problem.js';
import { nearestWord } from './suggest.js';

/** Columns that every kind has, with the sentence that `callsheet kinds` shows. */
export const COMMON_COLUMNS = [
  { name: 'id', help: '1-120 of A-Z a-z 0-9 . _ -; unique; names the job and, by default, the file.' },
  { name: 'kind', help: 'What the row asks for; may be left out with --kind.' },
  { name: 'group', help: 'A label; costs and counts are shown per group.' },
  {
    name: 'output',
    help: "The row's file name without extension; template fields allowed. It keeps A-Z, a-z, 0-9, . _ - and loses accents; anything else becomes -.",
  },
  { name: 'extra', help: 'A JSON object merged into the request, for fields that the documents do not show.' },
] as const;

/** Columns that no kind takes although people write them: known, so that the row's kind can say what it takes. */
const NEVER_TAKEN = ['guidance_scale', 'num_frames'];

const HINTS: Readonly<Record<string, string>> = {
  n: 'the service supports one output per request: add rows instead',
  response_format: 'use --response-format, which holds for every row',
  callback_url: 'callbacks are a setting of the run',
  reference_image: "did you mean 'reference_images'?",
};

const columnsByKind = new Map<Kind, ReadonlyMap<string, Column>>(
  KINDS.map((kind) => [kind, new Map(KIND_RULES[kind].columns.map((column) => [column.name, column]))]),
);

const knownColumns: ReadonlySet<string> = new Set([
  ...COMMON_COLUMNS.map((column) => column.name),
  ...KINDS.flatMap((kind) => KIND_RULES[kind].columns.map((column) => column.name)),
  ...NEVER_TAKEN,
]);

/** The columns of a kind by name, without the common ones. */
export function columnsOf(kind: Kind): ReadonlyMap<string, Column> {
  return columnsByKind.get(kind) ?? new Map();
}

export function isPassthrough(name: string): boolean {
  return name.startsWith('x-') && name.length > 2;
}

/** A name that a column may have. */
export function isColumn(name: string): boolean {
  return knownColumns.has(name) || isPassthrough(name);
}

/** Why a column name cannot stand in a manifest; undefined when it can. */
export function columnFlaw(name: string): { code: 'B9' | 'B22'; message: string } | undefined {
  if (isColumn(name)) return undefined;
  if (name.trim() === '') return { code: 'B9', message: 'a column has no name; name it or take it out' };
  const code = name === 'n' ? 'B22' : 'B9';
  const hint = Object.hasOwn(HINTS, name) ? HINTS[name] : undefined;
  if (hint !== undefined) return { code, message: `unknown column ${quoted(name)}; ${hint}` };
  const near = nearestWord(name, knownColumns);
  const help = near === undefined ? 'name a column x-… to pass it through to the results' : `did you mean '${near}'?`;
  return { code, message: `unknown column ${quoted(name)}; ${help}` };
}
