/** What a media cell's text is, by its beginning. One letter and a colon is a Windows path, not a scheme. */
export function mediaForm(text: string): 'data' | 'url' | 'path' | 'row' {
  if (/^\s*@/.test(text)) return 'row';
  if (/^\s*data:/i.test(text)) return 'data';
  return /^\s*[a-z][a-z0-9+.-]+:/i.test(text) ? 'url' : 'path';
}
