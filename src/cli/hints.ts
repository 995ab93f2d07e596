import { settingAt } from '../config/settings-table.js';
import type { Session } from './session.js';

/** Flags without which a later command would look elsewhere. */
const PLACE_SETTINGS = ['baseUrl', 'data', 'home', 'account.name', 'temporal.address', 'temporal.namespace'];

/** A command to type next, with the flags that told this one where to look: `callsheet watch shots --data ./d`. */
export function commandHint(session: Session, words: string): string {
  const flags = PLACE_SETTINGS.flatMap((path) => {
    const setting = settingAt(path);
    if (setting === undefined || session.origins.get(path)?.name !== 'flag') return [];
    let value: unknown = session.config;
    for (const part of path.split('.')) value = (value as Record<string, unknown>)[part];
    return [`--${setting.flag} ${shellWord(String(value))}`];
  });
  return ['callsheet', words, ...flags].join(' ');
}

/** A word as a shell takes it. */
function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
