import { isJsonObject, type JsonObject } from '../domain/json.js';
import type { Kind } from '../domain/kind.js';
import { type MediaSort, sortOfType } from '../domain/media-type.js';
import type { ProblemCode } from '../domain/raw-row.js';
import type { Row } from '../domain/row.js';
import { KINDS, usualModel } from '../kinds/facts.js';
import { rulesOf } from '../kinds/index.js';
import type { Column, FieldTree, MediaRule } from '../kinds/rule.js';
import { textFlaw } from './cell-values.js';
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
  // As the documents call what a request brings; here a column says what it is for.
  url: "the source image of svc/edit stands in 'image'",
  image_url: "an image stands in 'image', 'first_frame' or 'images', as `callsheet kinds` says for the row's kind",
  messages: "the image of svc/animation stands in 'image'",
};

const columnsByKind = new Map<Kind, ReadonlyMap<string, Column>>(
  KINDS.map((kind) => [kind, new Map(rulesOf(kind).columns.map((column) => [column.name, column]))]),
);

const knownColumns: ReadonlySet<string> = new Set([
  ...COMMON_COLUMNS.map((column) => column.name),
  ...KINDS.flatMap((kind) => rulesOf(kind).columns.map((column) => column.name)),
  ...NEVER_TAKEN,
]);

/** The columns of a kind by name, without the common ones. */
export function columnsOf(kind: Kind): ReadonlyMap<string, Column> {
  return columnsByKind.get(kind) ?? new Map();
}

const mediaColumns: ReadonlySet<string> = new Set(
  KINDS.flatMap((kind) => rulesOf(kind).columns.flatMap(({ name, type }) => (type === 'media' ? [name] : []))),
);

/** True of a column that names files, URLs or other rows. */
export function isMediaColumn(name: string): boolean {
  return mediaColumns.has(name);
}

export function isPassthrough(name: string): boolean {
  return name.startsWith('x-') && name.length > 2;
}

/** A name that a column may have. */
export function isColumn(name: string): boolean {
  return knownColumns.has(name) || isPassthrough(name);
}

/** Why a column name cannot stand in a manifest, and the column that was probably meant; undefined when it can. */
export function columnFlaw(
  name: string,
  present: ReadonlySet<string> = new Set(),
): { code: ProblemCode; message: string; meant?: string } | undefined {
  const unwritable = knownColumns.has(name) ? undefined : textFlaw(`column ${quoted(name)}`, name);
  if (unwritable !== undefined) return { code: unwritable.code, message: unwritable.message };
  if (isColumn(name)) return undefined;
  if (name.trim() === '') return { code: 'B9', message: 'a column has no name; name it or take it out' };
  const code = name === 'n' ? 'B22' : 'B9';
  const hint = Object.hasOwn(HINTS, name) ? HINTS[name] : undefined;
  if (hint !== undefined) return { code, message: `unknown column ${quoted(name)}; ${hint}` };
  const meant = nearestColumn(name, present);
  if (meant !== undefined) return { code, message: `unknown column ${quoted(name)}; did you mean '${meant}'?`, meant };
  return { code, message: `unknown column ${quoted(name)}; name a column x-… to pass it through to the results` };
}

/** A column that is spelled much like it, of two the one that is not there yet; else one that it says more or less of: `duration_seconds`, `aspect`, `X-shot`. */
function nearestColumn(name: string, present: ReadonlySet<string>): string | undefined {
  const plain = name.trim().toLowerCase();
  if (isPassthrough(plain)) return plain;
  const words = plain.replace(/[\s-]+/g, '_');
  const isPartly = (known: string): boolean => words.startsWith(`${known}_`) || known.startsWith(`${words}_`);
  const freeFirst = [...knownColumns].sort((a, b) => Number(present.has(a)) - Number(present.has(b)));
  return nearestWord(name, freeFirst) ?? freeFirst.find(isPartly);
}

/** Sentences about what the row leaves to a default that costs more than need be; `plan` shows them. */
export function costNotesOf(row: Pick<Row, 'kind' | 'cells' | 'media'>): string[] {
  return rulesOf(row.kind).costNotes?.({ model: modelOf(row), cells: row.cells, media: row.media }) ?? [];
}

/** The row's model, or the one that the service takes when none is named; empty where the kind has none. */
export function modelOf(row: Pick<Row, 'kind' | 'cells'>): string {
  const { model } = row.cells;
  return typeof model === 'string' ? model : usualModel(row.kind);
}

/** Whether the endpoint reads media of this sort in this column from a URL alone. */
export function takesUrlOnly(rule: MediaRule, sort: MediaSort | 'other'): boolean {
  return rule.inline === 'url-only' || (rule.inline === 'bytes' && sort !== rule.sort);
}

/** The same for a checked row, by the type of its medium. */
export function needsUrl(kind: Kind, column: string, mediaType: string): boolean {
  const found = columnsOf(kind).get(column);
  return found?.type === 'media' && takesUrlOnly(found.media, sortOfType(mediaType));
}

/**
 * The documented field that an `extra` object names, as a dotted path; undefined when it names none. Inside a
 * documented container only undocumented fields may be added, and a container can only be given as an object.
 */
export function settledField(extra: JsonObject, documented: FieldTree, path = ''): string | undefined {
  for (const [name, value] of Object.entries(extra)) {
    const known = Object.hasOwn(documented, name) ? documented[name] : undefined;
    if (known === undefined) continue;
    const here = path === '' ? name : `${path}.${name}`;
    if (known === true || !isJsonObject(value)) return here;
    const inner = settledField(value, known, here);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
