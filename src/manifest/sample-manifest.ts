import type { Kind } from '../domain/kind.js';
import { KIND_RULES } from '../kinds/rules.js';
import { csvText } from './csv-text.js';

/** A small valid CSV manifest of one kind, for `callsheet init`: every row shows another way to ask. */
export function sampleManifest(kind: Kind): string {
  const { samples, columns } = KIND_RULES[kind];
  const used = columns.map(({ name }) => name).filter((name) => samples.some((sample) => sample[name] !== undefined));
  const rows = samples.map((sample, at) => [
    `${kind.replace('/', '-')}-${at + 1}`,
    kind,
    ...used.map((name) => sample[name] ?? ''),
  ]);
  return csvText([['id', 'kind', ...used], ...rows]);
}
