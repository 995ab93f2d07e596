import type { Command } from 'commander';
import { formatConfigProblem } from '../../config/config-error.js';
import { environmentName, type PlacedSetting, valueAt } from '../../config/setting.js';
import { SETTINGS } from '../../config/settings.js';
import { formatCredits } from '../../domain/money.js';
import { targetLabel } from '../../domain/notice.js';
import { withoutTypedKeys } from '../../domain/secret.js';
import type { Cli } from '../io.js';
import { addExamples, openExplaining, withSettings } from '../open-session.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { EXIT, READ_EXIT_HELP } from '../user-error.js';

/** `config show`: every setting with its value and, on request, where it came from. */
export function defineConfig(command: Command, cli: Cli): void {
  command.description('Settings: flags > environment > --config FILE or ./callsheet.config.json > user file.');
  addExamples(command, EXAMPLES, READ_EXIT_HELP);
  const show = command
    .command('show')
    .description('Shows every setting, the variable that sets it, and the value in force. The API key is never shown.')
    .option('--origin', 'show where each value came from');
  withSettings(show, 'all', EXAMPLES, READ_EXIT_HELP).action(async () => {
    const session = await openExplaining(show, cli);
    const ofProfile = await readTemporalProfile(session);
    const problems = [...session.problems.map(formatConfigProblem), ...ofProfile.problems];
    const withOrigin = show.opts<{ origin?: boolean }>().origin === true;
    await showSettings(session, { withOrigin, profile: ofProfile.values, problems });
    for (const problem of problems) session.terminal.error(problem);
    if (problems.length > 0) cli.exitCode = EXIT.configuration;
  });
}

const EXAMPLES = ['callsheet config show --origin', 'CALLSHEET_LIMITS_RPM=100 callsheet config show --json'];

/** A settings file may come with somebody else's project: no escape sequence of it reaches the terminal, and no list of prices is cut. */
const VALUE_MAX = 1_000_000;

interface Shown {
  withOrigin: boolean;
  profile: ReadonlyMap<string, string | undefined>;
  problems: readonly string[];
}

async function showSettings(session: Session, { withOrigin, profile, problems }: Shown): Promise<void> {
  const { terminal } = session;
  const key = session.keyOrigin;
  const rows = SETTINGS.map((setting) => {
    const value = shownValue(session, setting);
    // A key that somebody gave to the wrong setting is shown nowhere.
    const own = typeof value === 'string' ? withoutTypedKeys(value) : value;
    const named = own === null ? profile.get(setting.path) : undefined;
    const origin = session.origins.get(setting.path) ?? { name: 'default' as const };
    return { setting, value: named ?? own, origin: named === undefined ? origin : PROFILE };
  });
  if (session.isJson) {
    const settings = Object.fromEntries(
      rows.map(({ setting, value, origin }) => [setting.path, withOrigin ? { value, origin } : value]),
    );
    const apiKey = key === undefined ? null : { value: '[redacted]', origin: key };
    terminal.json({ schema: 1, apiKey, settings, ...(problems.length > 0 && { problems }) });
    return;
  }
  const { formatTable } = await import('../views/table.js');
  const keyRow = ['(API key)', 'CALLSHEET_API_KEY', key === undefined ? '-' : '[redacted]', key ?? 'not set'];
  const lines = rows.map(({ setting, value, origin }) => [
    setting.path,
    environmentName(setting.path),
    value === null ? '-' : plain(typeof value === 'string' ? value : JSON.stringify(value), VALUE_MAX),
    'where' in origin && origin.where !== undefined ? `${origin.name} ${origin.where}` : origin.name,
  ]);
  const shown = [keyRow, ...lines].map((line) => (withOrigin ? line : line.slice(0, 3)));
  terminal.data(formatTable(shown, { head: ['setting', 'variable', 'value', ...(withOrigin ? ['origin'] : [])] }));
}

const PROFILE = { name: 'Temporal profile' } as const;

/** What the settings leave to the SDK's own profile file, by their paths: commands are clients of the Temporal it names. */
async function readTemporalProfile({ config }: Session): Promise<{ values: Shown['profile']; problems: string[] }> {
  const { readProfile } = await import('../../temporal/profile.js');
  try {
    const { address, namespace } = readProfile();
    const isShared = (config.temporal.address ?? address) !== undefined;
    const all = { 'temporal.address': address, 'temporal.namespace': isShared ? namespace : undefined };
    return { values: new Map(Object.entries(all)), problems: [] };
  } catch (error) {
    return { values: new Map(), problems: [error instanceof Error ? error.message : String(error)] };
  }
}

/** The value in the form in which it is written in the file. */
function shownValue(session: Session, setting: PlacedSetting): unknown {
  const { notify, notifySecret } = session.config;
  if (setting.path === 'notify') return notify.length === 0 ? null : notify.map(({ to }) => targetLabel(to)).join(' ');
  if (setting.path === 'notifySecret') return notifySecret === null ? null : '[redacted]';
  const value = valueAt(session.config, setting.path);
  return setting.form === 'credits' && typeof value === 'number' ? formatCredits(value) : value;
}
