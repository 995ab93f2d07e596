import type { MediaRule } from '../../kinds/rule.js';
import { quoted } from '../problem.js';
import type { HostChecker } from './public-host.js';

/**
 * Checks a media URL by its form and its host (B44): scheme, no credentials, nothing that parsers read differently,
 * a public host. Gives the sentence of what is wrong, or undefined.
 */
export function urlFlaw(
  name: string,
  text: string,
  rule: MediaRule,
  hosts: HostChecker,
): string | undefined | Promise<string | undefined> {
  const wanted = rule.url === 'https' ? 'a public https URL' : 'a public http or https URL';
  if (!/^https?:\/\/[^/]/i.test(text)) return `${name} must be ${wanted}, got ${quoted(text)}`;
  if (/[\s\\]/.test(text) || /\p{Cc}/u.test(text)) {
    return `${name} must be ${wanted}; it holds blanks, backslashes or control characters: ${quoted(text)}`;
  }
  if (/\|\s*(?:https?|data):/i.test(text)) return `${name} must be one URL, got a list: ${quoted(text)}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return `${name} must be ${wanted}, got ${quoted(text)}`;
  }
  if (url.username !== '' || url.password !== '') return `${name} must be ${wanted} without credentials in it`;
  const loopback = hosts.isLoopback(url.hostname);
  const flaw = hosts.check(url.hostname);
  const sentence = (reason: string | undefined): string | undefined => {
    if (reason !== undefined)
      return `${name} url must be public ${rule.url === 'https' ? 'https' : 'http or https'} (${reason})`;
    if (rule.url === 'https' && url.protocol !== 'https:' && !loopback) return `${name} must be ${wanted}, not http`;
    return undefined;
  };
  return flaw instanceof Promise ? flaw.then(sentence) : sentence(flaw);
}
