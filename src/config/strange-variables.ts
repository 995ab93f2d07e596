import type { NearestWord } from './check-layer.js';
import { environmentName } from './setting.js';
import { SETTINGS } from './settings.js';

const PREFIX = 'CALLSHEET_';

/** Taken, though they are no settings. The last three are of the compose file and of the demonstration. */
const OWN_VARIABLES = [
  'CALLSHEET_API_KEY',
  'CALLSHEET_TEMPORAL_CLI',
  'CALLSHEET_UID',
  'CALLSHEET_GID',
  'CALLSHEET_VERSITYGW',
];
/** What people try that is given as a flag alone. */
const FLAGS_ALONE: Readonly<Record<string, string>> = {
  CALLSHEET_CONFIG: '--config',
  CALLSHEET_API_KEY_FILE: '--api-key-file',
  CALLSHEET_KEY_FILE: '--api-key-file',
};

/** A mistyped variable would silently do nothing: each that is no setting is said, with the one that may be meant. */
export function strangeVariables(env: NodeJS.ProcessEnv, nearestWord: NearestWord): string[] {
  const known = ['CALLSHEET_API_KEY', ...SETTINGS.map(({ path }) => environmentName(path))];
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith(PREFIX) || known.includes(name) || OWN_VARIABLES.includes(name)) return [];
    const flag = FLAGS_ALONE[name];
    if (flag !== undefined) return [`${name} is no setting and has no effect; ${flag} names the file`];
    const meant = meantBy(name, known, nearestWord);
    const hint = meant === undefined ? '`callsheet config show` lists the settings' : `did you mean ${meant}?`;
    return [`${name} is no setting and has no effect; ${hint}`];
  });
}

/** A setting called by its flag, by the end or the beginning of its name, or with a slip in one of these. */
function meantBy(name: string, known: readonly string[], nearestWord: NearestWord): string | undefined {
  const byWord = new Map(known.map((one) => [one.slice(PREFIX.length), one]));
  for (const { flag, path } of SETTINGS) {
    const word = flag.replaceAll('-', '_').toUpperCase();
    if (!byWord.has(word)) byWord.set(word, environmentName(path));
  }
  // Without what all of them begin with, which would make any two of them look alike.
  const word = name.slice(PREFIX.length);
  const part = known.find((one) => one.endsWith(`_${word}`)) ?? known.find((one) => one.startsWith(`${name}_`));
  return byWord.get(word) ?? part ?? byWord.get(nearestWord(word, byWord.keys()) ?? '');
}
