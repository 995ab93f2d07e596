import { UserError } from '../user-error.js';

/** Rows and their handles in turn, as they are typed. Throws a UserError where one word has no partner or a row has two. Pure. */
export function handlePairs(words: readonly string[]): Map<string, string> {
  const handles = new Map<string, string>();
  for (let at = 0; at < words.length; at += 2) {
    const [id = '', handle] = words.slice(at, at + 2);
    if (handle === undefined) throw new UserError(`row '${id}' has no handle behind it`);
    if (handles.has(id)) throw new UserError(`row '${id}' is named twice: a row has one handle; nothing was changed`);
    handles.set(id, handle);
  }
  return handles;
}
