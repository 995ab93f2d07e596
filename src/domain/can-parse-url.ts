/**
 * Whether a text is a URL, with a base for relative ones. Not by `URL.canParse`: after some thousand calls Node 20 says false
 * to any text beyond Latin 1, and to some within it.
 */
export function canParseUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base);
    return true;
  } catch {
    return false;
  }
}
