import { ManifestStop } from './problem.js';

const DELIMITERS: Readonly<Record<string, string>> = { ';': ';', '\t': 'TAB', '|': '|', ',': ',' };

/** The stop (B7) for a header line that another character separates: then one of its parts is `id`. */
export function otherDelimiter(header: string, line: number, delimiter: string): ManifestStop | undefined {
  for (const [other, name] of Object.entries(DELIMITERS)) {
    if (other === delimiter) continue;
    const parts = header.split(other);
    if (parts.length < 2 || !parts.some((part) => part.trim().replace(/^"|"$/g, '') === 'id')) continue;
    const option = other === '\t' ? '\\t' : other;
    return new ManifestStop('B7', line, 1, `looks ${name}-separated; use --delimiter '${option}'`);
  }
  return undefined;
}
