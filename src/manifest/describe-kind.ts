import type { Json } from '../domain/json.js';
import type { Kind } from '../domain/kind.js';
import { typeNames } from '../domain/media-type.js';
import { factsOf } from '../kinds/facts.js';
import { rulesOf } from '../kinds/index.js';
import type { Column, MediaColumn, MediaRule, NumberColumn } from '../kinds/rule.js';
import { orList } from '../kinds/rule-helpers.js';
import { rangeText } from './cell-values.js';
import { COMMON_COLUMNS } from './columns.js';
import { csvText } from './csv-text.js';

/** A column as `callsheet kinds KIND` prints it. */
export interface ColumnDescription {
  name: string;
  required: boolean;
  type: Column['type'] | 'media list';
  /** What may stand in the cell, with the default: `1-8192`, `std, pro or 4k; default std`. */
  rule: string;
  help: string;
}

export interface KindDescription {
  kind: Kind;
  summary: string;
  endpoint: string;
  /** Where the service documents it. */
  source: string;
  columns: ColumnDescription[];
  /** Rules over several columns, one sentence each. */
  rules: string[];
  /** Columns that every kind has. */
  common: { name: string; help: string }[];
}

/** Everything that a manifest row of this kind may and must hold, from the tables that check it. */
export function describeKind(kind: Kind): KindDescription {
  const { fallbacks = {}, hasOwnBody } = factsOf(kind);
  const { summary, path, source, columns, checks = [], mediaChecks = [] } = rulesOf(kind);
  return {
    kind,
    summary,
    endpoint: `POST ${path}`,
    source,
    columns: columns.map((column) => ({
      name: column.name,
      required: column.required === true,
      type: column.type === 'media' && column.many === true ? 'media list' : column.type,
      rule: ruleOf(column, fallbacks[column.name]),
      help: column.help,
    })),
    rules: [...checks, ...mediaChecks].map(({ rule }) => rule),
    common: COMMON_COLUMNS.filter(({ name }) => name !== 'extra' || !hasOwnBody).map((one) => ({
      ...one,
    })),
  };
}

function ruleOf(column: Column, fallback: Json | undefined): string {
  switch (column.type) {
    case 'text':
      return column.maxCharacters === undefined ? 'any text' : `at most ${column.maxCharacters} characters`;
    case 'choice':
      return withDefault(orList(column.choices), fallback);
    case 'integer':
    case 'decimal':
      return withDefault(numberRule(column), fallback);
    case 'boolean':
      return withDefault('true or false', fallback);
    case 'json':
      return column.shape === 'list' ? 'a JSON array' : 'a JSON object';
    case 'media':
      return mediaRule(column);
    default:
      return column satisfies never;
  }
}

function withDefault(text: string, fallback: Json | undefined): string {
  return fallback === undefined ? text : `${text}; default ${fallback}`;
}

function numberRule(column: NumberColumn): string {
  const name = column.type === 'integer' ? 'plain integer' : 'plain decimal';
  const range = rangeText(column);
  return range === undefined ? name : `${name}, ${range}${column.unit ?? ''}`;
}

const FORMS: Readonly<Record<MediaRule['inline'], string>> = {
  bytes: 'URL, file or data: URI',
  'url-only': 'URL; a file needs an S3 store to upload to',
  'bytes-only': 'file, data: URI, or a URL that callsheet fetches',
};

function mediaRule({ media, many }: MediaColumn): string {
  const scheme = media.url === 'https' ? 'https only' : 'http or https';
  const another = media.sort === 'audio' ? [] : [`@id: the ${media.sort} that row id of this manifest renders`];
  const parts = [FORMS[media.inline], `URLs public, ${scheme}`, typeNames(media.types, media.sort)];
  if (media.maxBytes !== undefined) parts.push(`at most ${media.maxBytes / 1_000_000} MB`);
  if (media.belowBytes !== undefined) parts.push(`under ${media.belowBytes / 1_000_000} MB`);
  if (media.minSide !== undefined) parts.push(`each side at least ${media.minSide} px`);
  if (media.maxSide !== undefined) parts.push(`each side at most ${media.maxSide} px`);
  if (media.minShortSide !== undefined) parts.push(`short side at least ${media.minShortSide} px`);
  if (media.maxRatio !== undefined) parts.push(`aspect ratio at most ${media.maxRatio}:1 either way`);
  if (media.widestRatio !== undefined) parts.push(`aspect ratio no wider than ${media.widestRatio}:1`);
  if (media.transparency === 'refused') parts.push('no transparent channel');
  if (media.minSeconds !== undefined) parts.push(`${media.minSeconds}-${media.maxSeconds} s`);
  parts.push(...another);
  if (many === true) parts.push('several separated by | or as a JSON array');
  return parts.join('; ');
}

/** A small valid CSV manifest of one kind, for `callsheet init`: every row shows another way to ask. */
export function sampleManifest(kind: Kind): string {
  const { samples, columns } = rulesOf(kind);
  const used = columns.map(({ name }) => name).filter((name) => samples.some((sample) => sample[name] !== undefined));
  const rows = samples.map((sample, at) => [
    `${kind.replace('/', '-')}-${at + 1}`,
    kind,
    ...used.map((name) => sample[name] ?? ''),
  ]);
  return csvText([['id', 'kind', ...used], ...rows]);
}
