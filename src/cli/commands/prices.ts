import type { Command } from 'commander';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { type MeasuredPrice, type PriceRule, priceCellsText, pricePaidText } from '../../domain/price.js';
import { KINDS } from '../../kinds/facts.js';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';
import type { Session } from '../session.js';
import { createTerminal, type Terminal } from '../terminal.js';
import { READ_EXIT_HELP } from '../user-error.js';
import { amount } from '../views/counts.js';

const DESCRIPTION = 'Shows what requests cost: configured prices, and those measured from the balance of this account.';
const HOW = 'one charge alone between two readings of the balance';

/** `prices`: where each price comes from, and when and how it was measured. */
export function definePrices(command: Command, cli: Cli): void {
  const examples = ['callsheet prices', 'callsheet prices --example'];
  withSettings(command.description(DESCRIPTION), 'connection', examples, READ_EXIT_HELP)
    .option('--example', 'print the `prices` setting for every kind, with the figures to fill in')
    .action(async ({ example = false }: { example?: boolean }) => {
      if (example) await showExample(createTerminal(cli.io), command.opts<{ json?: boolean }>().json === true);
      else await showPrices(await openSession(command, cli));
    });
}

async function showExample(terminal: Terminal, isJson: boolean): Promise<void> {
  const { priceSnippet } = await import('../plan/plan-prices.js');
  const example = priceSnippet(KINDS);
  if (isJson) terminal.json({ schema: 1, example });
  else terminal.data(JSON.stringify(example, null, 2));
}

async function showPrices(session: Session): Promise<void> {
  const { openHomeAccess } = await import('../access/home-access.js');
  const { readLearned, readMeasuredPrices } = await import('../../home/learned.js');
  const { formatTable } = await import('../views/table.js');
  const { config, terminal } = session;
  const { home } = openHomeAccess(config);
  const [measured, learned] = await Promise.all([readMeasuredPrices(home), readLearned(home)]);
  const { latenessMs } = learned;
  const timings = (learned.timings ?? []).filter(({ revoked }) => !revoked);
  if (session.isJson) {
    return terminal.json({
      schema: 1,
      account: config.account.name,
      configured: config.prices,
      measured: measured.map(measuredJson),
      balanceLateSeconds: { assumed: config.waits.lambdaSeconds, seen: latenessMs / 1_000 },
      charged: timings.map(({ kind, model, timing, attempts }) => ({ kind, model, timing, seen: attempts.length })),
    });
  }
  const rows = [...config.prices.map(configuredRow), ...measured.map(measuredRow)];
  if (rows.length === 0) {
    terminal.note(
      'no price is known: set `prices` in callsheet.config.json (`callsheet prices --example` shows how), or let callsheet measure them',
    );
  } else terminal.data(formatTable(rows, { head: ['kind', 'for', 'credits', 'basis'] }));
  if (latenessMs > 0) terminal.note(`the balance was seen ${Math.ceil(latenessMs / 1_000)} s late`);
  for (const { kind, model, timing, attempts } of timings) {
    terminal.note(`${kind} (${model}) is charged ${timing.replace('-', ' ')}, seen ${amount(attempts.length, 'time')}`);
  }
}

function configuredRow({ kind, components, ...matched }: PriceRule): string[] {
  const amounts = components.map(
    ({ unit, credits, above, upTo, atLeast }) =>
      `${credits} per ${unit}${ifSet(' above ', above)}${ifSet(', at least ', atLeast)}${ifSet(', at most ', upTo)}`,
  );
  return [kind ?? 'any', priceCellsText(matched), amounts.join(' + '), 'configured'];
}

function ifSet(word: string, units: number | undefined): string {
  return units === undefined ? '' : `${word}${units}`;
}

function measuredRow(price: MeasuredPrice): string[] {
  const { kind, cells, times, lastAtMs } = price;
  const counts = isUsed(price) ? '' : '; used once it is seen again, since others may use the account';
  const basis = `measured ${times}×, last ${iso(lastAtMs)}: ${HOW}${counts}`;
  return [kind, priceCellsText(cells), pricePaidText(price), basis];
}

function measuredJson(price: MeasuredPrice): object {
  const { kind, cells, paidNano, withinNano = 0, multiplierPpb, firstAtMs, lastAtMs, times } = price;
  return {
    kind,
    cells,
    credits: formatCredits(paidNano),
    ...(withinNano === 0 ? {} : { plusMinusCredits: formatCredits(withinNano) }),
    listCredits: formatCredits(listNano(paidNano, multiplierPpb)),
    multiplier: formatCredits(multiplierPpb),
    firstAt: iso(firstAtMs),
    lastAt: iso(lastAtMs),
    times,
    how: HOW,
    used: isUsed(price),
  };
}

function isUsed({ exclusive, times }: MeasuredPrice): boolean {
  return exclusive || times > 1;
}

function listNano(paidNano: CreditsNano, multiplierPpb: number): CreditsNano {
  return Math.round((paidNano / multiplierPpb) * 1e9);
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
