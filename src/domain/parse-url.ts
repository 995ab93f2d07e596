/**
 * Undefined where the text is no URL; `base` for a relative one. Not by `URL.canParse`: once compiled, that of Node 20 says
 * false to every host with a letter of Latin 1 (`münchen.example`).
 */
export function parseUrl(text: string, base?: URL | string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
