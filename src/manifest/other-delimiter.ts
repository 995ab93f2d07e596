import { ManifestStop } from './problem.js';

const DELIMITERS: Readonly<Record<string, string>> = { ';': ';', '\t': 'TAB', '|': '|', ',': ',' };

/** What Excel writes before the header to name its separator. */
const EXCEL_NOTE = /^sep=(.?)$/;

/** The stop (B7) for a header line that another character separates: then one of its parts is `id`. */
export function otherDelimiter(header: string, line: number, delimiter: string): ManifestStop | undefined {
  const excel = EXCEL_NOTE.exec(header.replaceAll('"', ''));
  if (excel !== null) {
    const option = excel[1] === ',' ? '' : ` and use --delimiter '${excel[1] === '\t' ? '\\t' : excel[1]}'`;
    return new ManifestStop('B7', line, 1, `is Excel's note of its separator, no header; take this line out${option}`);
  }
  for (const [other, name] of Object.entries(DELIMITERS)) {
    if (other === delimiter) continue;
    const parts = header.split(other);
    if (parts.length < 2 || !parts.some((part) => part.trim().replace(/^"|"$/g, '') === 'id')) continue;
    const option = other === '\t' ? '\\t' : other;
    return new ManifestStop('B7', line, 1, `looks ${name}-separated; use --delimiter '${option}'`);
  }
  return undefined;
}
