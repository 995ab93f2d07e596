import type { Command } from 'commander';
import { formatCredits } from '../../domain/money.js';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { READ_EXIT_HELP } from '../user-error.js';
import { percentOff } from '../views/counts.js';

/** `credits`, `discounts` and `voices`: the free reads of the account. */

export function defineCredits(command: Command, cli: Cli): void {
  define(command, cli, 'Shows the balance, the plan and its caps.', 'credits --json', async (session) => {
    const { readAccount } = await import('../access/queued-read.js');
    const { readCredits } = await import('../../service/account.js');
    const read = await readAccount(session, 'credits', readCredits);
    const credits = formatCredits(read.creditsRemainingNano);
    const { planLevel: plan, rpmLimit: rpm, concurrentLimit: concurrent } = read;
    if (session.isJson)
      return session.terminal.json({ schema: 1, ...accountOf(session), credits, plan, rpm, concurrent });
    session.terminal.data(`balance   ${credits} credits`);
    session.terminal.data(`plan      ${plan}`);
    session.terminal.data(`caps      ${concurrent} jobs at once, ${rpm} requests per minute`);
  });
}

export function defineDiscounts(command: Command, cli: Cli): void {
  define(command, cli, 'Shows the discounts that are active now.', 'discounts', async (session) => {
    const { readAccount } = await import('../access/queued-read.js');
    const { readDiscounts } = await import('../../service/account.js');
    const { formatTable } = await import('../views/table.js');
    const discounts = (await readAccount(session, 'discounts', readDiscounts)).map((row) => ({
      entrypoint: plain(row.entrypoint, 60),
      multiplier: formatCredits(row.multiplierPpb),
      from: new Date(row.effectiveFromMs).toISOString(),
      to: row.effectiveToMs === null ? null : new Date(row.effectiveToMs).toISOString(),
      percent: percentOff(row.multiplierPpb),
    }));
    if (session.isJson) {
      const rows = discounts.map(({ percent: _percent, ...row }) => row);
      return session.terminal.json({ schema: 1, ...accountOf(session), discounts: rows });
    }
    if (discounts.length === 0) return session.terminal.note('no active discount: everything costs its list price');
    const rows = discounts.map((row) => [row.entrypoint, row.percent, row.from, row.to ?? 'open']);
    session.terminal.data(formatTable(rows, { head: ['entrypoint', 'off', 'from', 'until'] }));
  });
}

export function defineVoices(command: Command, cli: Cli): void {
  define(command, cli, 'Lists the voices that avatar scripts can be spoken with.', 'voices --json', async (session) => {
    const { readAccount } = await import('../access/queued-read.js');
    const { readVoices } = await import('../../service/account.js');
    const { formatTable } = await import('../views/table.js');
    const voices = await readAccount(session, 'voices', readVoices);
    if (session.isJson) return session.terminal.json({ schema: 1, ...accountOf(session), voices });
    if (voices.length === 0) return session.terminal.note('the service lists no voices');
    const rows = voices.map((one) => [plain(one.voiceId), plain(one.language ?? ''), plain(one.gender ?? '')]);
    session.terminal.data(formatTable(rows, { head: ['voice_id', 'language', 'gender'] }));
  });
}

function define(
  command: Command,
  cli: Cli,
  description: string,
  example: string,
  show: (session: Session) => Promise<void>,
): void {
  command.description(description);
  withSettings(command, 'connection', [`callsheet ${example}`], READ_EXIT_HELP).action(async () =>
    show(await openSession(command, cli)),
  );
}

function accountOf(session: Session): { account: string } {
  return { account: session.config.account.name };
}
