import { commandOf } from '../domain/notice.js';
import { safeText } from '../domain/secret.js';

/** A target of notices as a message repeats it: scheme and host at most, since what stands behind is often a password. */
export function shownTarget(text: string): string {
  const command = commandOf(text);
  if (command !== undefined) return command === '' ? 'command:' : 'command:…';
  return safeText(text.replace(/^\s*([a-z][a-z0-9+.-]*:)?([/\\]*)(?:[^/\\?#\s]*@)?([^/\\?#\s]*).*$/is, '$1$2$3'), 80);
}
