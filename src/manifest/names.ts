import { KEY_START } from '../domain/secret.js';
import { quoted, showText } from './problem.js';

/** The naming rule of ids and batch names, in the words of the messages. */
export const NAME_RULE = 'letters, digits, . _ - (max 120)';

const NAME = /^[A-Za-z0-9._-]{1,120}$/;
const API_KEY = new RegExp(KEY_START, 'i');
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** Why a name breaks the rule of ids and batch names; undefined when it keeps it. */
export function nameFlaw(name: string): string | undefined {
  if (!NAME.test(name)) return `may use ${NAME_RULE}`;
  if (name.startsWith('.') || name.endsWith('.')) return 'may not start or end with a dot';
  if (name.includes('..')) return "may not contain '..'";
  // Names are shown and stored everywhere.
  if (API_KEY.test(name)) return 'may not be an API key';
  if (isWindowsDevice(name)) return 'may not be a Windows device name';
  return undefined;
}

export function isWindowsDevice(name: string): boolean {
  return WINDOWS_DEVICE.test(name);
}

/** Two names are the same when they are equal without regard to case and Unicode form. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

/**
 * The batch's name: `--name`, or the manifest's file stem. Standard input has none. A stem that breaks the naming
 * rule is refused with a `--name` to use.
 */
export function batchNameFrom(path: string | undefined, name?: string): { name: string } | { message: string } {
  if (name !== undefined) {
    const flaw = nameFlaw(name);
    return flaw === undefined ? { name } : { message: `--name '${showText(name)}' ${flaw}` };
  }
  if (path === undefined) return { message: 'a manifest on standard input needs --name' };
  const stem = (path.split(/[/\\]/).pop() ?? '').replace(/(?<=.)\.(?:csv|tsv|txt|jsonl|ndjson)$/i, '');
  const flaw = nameFlaw(stem);
  if (flaw === undefined) return { name: stem };
  return {
    message: `the manifest's name '${showText(stem)}' cannot name the batch (it ${flaw}); use --name ${nearestName(stem)}`,
  };
}

/** The text bent into the naming rule: the same characters where they are allowed, `-` elsewhere. */
export function nearestName(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
  const bent = plain
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, 120)
    .replace(/^[.-]+|[.-]+$/g, '');
  if (bent === '') return 'batch';
  return isWindowsDevice(bent) ? `_${bent}`.slice(0, 120) : bent;
}

/** What a name template may show of a row. */
export interface StemFields {
  id: string;
  kind: string;
  model: string;
  group: string | undefined;
  /** 0-based position of the row. */
  index: number;
  date: string;
  /** The text of any other column of the row. */
  cell(name: string): string | undefined;
  /** True when the manifest has a column of this name. */
  hasColumn(name: string): boolean;
}

/** The template fields that are no columns, for the help texts. */
export const TEMPLATE_FIELDS = {
  id: "the row's id",
  group: "the row's group",
  kind: "the row's kind, as svc-image",
  model: "the row's model",
  seed: "the row's seed",
  index: 'the position of the row, counted from 0',
  n: 'the number of the row, counted from 1',
  date: 'the day of the run, as 2026-01-31',
  part: 'the thousand that the row is in, as 0000',
} as const;

export type Stem = { ok: true; stem: string } | { ok: false; message: string };

const MEDIA_EXTENSION = /(?<=[^/])\.(?:mp4|mov|webm|mkv|png|jpe?g|webp|gif|bmp|avif|heic|wav|mp3|json)$/i;
const VALUE_CHARACTERS_MAX = 120;
const SEGMENTS_MAX = 16;
const EMPTY = 'none';

/** The part of a row in the default names of large batches: `0000` for rows 0-999. */
export function partOf(index: number): string {
  return String(Math.floor(index / 1000)).padStart(4, '0');
}

/**
 * Fills a name template and bends the result into safe file names: per segment only `A-Za-z0-9._-`, at most 120, no
 * leading or trailing dot, no `..`, no Windows device name. A media extension at the end of the template is taken
 * off, since the real one comes from the bytes.
 */
export function stemFrom(template: string, fields: StemFields): Stem {
  const bare = template.replace(MEDIA_EXTENSION, '');
  const segments = bare.split('/');
  if (bare.startsWith('/') || /^[A-Za-z]:/.test(bare) || bare.includes('\\')) {
    return { ok: false, message: `template ${quoted(template)} leaves the output folder: it must be relative, with /` };
  }
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    return { ok: false, message: `template ${quoted(template)} leaves the output folder` };
  }
  if (segments.some((segment) => segment.trim() === '') || segments.length > SEGMENTS_MAX) {
    return { ok: false, message: `template ${quoted(template)} has an empty name or over ${SEGMENTS_MAX} levels` };
  }
  const filled: string[] = [];
  for (const segment of segments) {
    const text = fillSegment(segment, fields);
    if (typeof text !== 'string') return { ok: false, message: text.message };
    filled.push(slug(text));
  }
  return { ok: true, stem: filled.join('/') };
}

function fillSegment(segment: string, fields: StemFields): string | { message: string } {
  let text = '';
  let at = 0;
  for (const match of segment.matchAll(/\{([^{}]*)\}/g)) {
    const value = fieldValue(match[1] ?? '', fields);
    if (value === undefined) {
      const known = Object.keys(TEMPLATE_FIELDS).join(', ');
      return { message: `unknown field ${quoted(match[0])} in the output name; known: ${known} and any column` };
    }
    text += segment.slice(at, match.index) + slug(value);
    at = match.index + match[0].length;
  }
  text += segment.slice(at);
  if (/[{}]/.test(text)) return { message: `the output name ${quoted(segment)} has a brace without its partner` };
  return text;
}

function fieldValue(name: string, fields: StemFields): string | undefined {
  switch (name) {
    case 'id':
    case 'kind':
    case 'model':
    case 'date':
      return fields[name];
    case 'group':
      return fields.group ?? '';
    case 'seed':
      return fields.cell('seed') ?? '';
    case 'index':
      return String(fields.index);
    case 'n':
      return String(fields.index + 1);
    case 'part':
      return partOf(fields.index);
    case 'output':
    case '':
      return undefined;
    default:
      return fields.hasColumn(name) ? (fields.cell(name) ?? '') : undefined;
  }
}

/** One value or segment as a safe file name; `none` where nothing is left. */
export function slug(text: string): string {
  if (SAFE.test(text) && !text.includes('..') && !isWindowsDevice(text)) return text;
  const bent = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[.-]+/, '')
    .slice(0, VALUE_CHARACTERS_MAX)
    .replace(/[.-]+$/, '');
  if (bent === '') return EMPTY;
  return isWindowsDevice(bent) ? `_${bent}`.slice(0, VALUE_CHARACTERS_MAX) : bent;
}

/** What needs no bending: every id, so that two of them never get one name. */
const SAFE = /^[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,118}[A-Za-z0-9_-])?$/;
