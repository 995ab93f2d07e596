import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { EmulatorOptions, Plan } from '../../../emulator/emulator.js';
import { defined } from '../../domain/defined.js';
import { fileReason } from '../../domain/file-reason.js';
import type { Cli } from '../io.js';
import { createTerminal } from '../terminal.js';
import { UserError } from '../user-error.js';

interface EmulatorFlags {
  port: string;
  plan: string;
  balance: string;
  speed: string;
  seed: string;
  assumptions?: string;
  prices?: string;
  faults?: string;
  key: string;
  control?: boolean;
  verbose?: boolean;
  json?: boolean;
}

/** `emulator`: the service's double on this machine, until Ctrl-C. */
export function defineEmulator(command: Command, cli: Cli): void {
  command
    .description(
      'A faithful double of the service on 127.0.0.1, with money, caps, expiry and faults. Nothing is spent.',
    )
    .option('--port <n>', 'port to listen on; 0 for a free one', '0')
    .option('--plan <plan>', 'free, pro or enterprise', 'pro')
    .option('--balance <credits>', 'credits at the start', '100')
    .option('--speed <n>', "divides render times and multiplies the plan's requests per minute", '1')
    .option('--seed <n>', 'render times and chances follow from it', '1')
    .option('--assumptions <drawn>', 'what the documents do not show: drawn by the seed, or by a number given here')
    .option('--prices <file>', 'price rules (JSON), tried before its own')
    .option('--faults <file>', 'fault rules (JSON)')
    .option('--key <key>', 'the API key that it accepts', 'sk-svc-emulator')
    .option('--control', 'open /_truth and /_control')
    .option('-v, --verbose', 'one line per request')
    .option('--json', 'print the address as JSON on standard output')
    .addHelpText('after', HELP)
    .action(() => runEmulator(command.opts<EmulatorFlags>(), cli));
}

const HELP = `
Examples:
  callsheet emulator --port 8787 --speed 60
  # in another terminal: the export lines that it printed, then
  callsheet run shots.csv

Exit codes:
  0  ended by Ctrl-C    2  wrong command line`;

async function runEmulator(flags: EmulatorFlags, { io }: Cli): Promise<void> {
  const terminal = createTerminal(io);
  const { parseEmulatorFaults, parsePriceRules, startEmulator } = await import('../../../emulator/emulator.js');
  const options: EmulatorOptions = {
    port: portFlag(flags.port),
    plan: flags.plan as Plan,
    balanceCredits: balanceFlag(flags.balance),
    speed: speedFlag(flags.speed),
    seed: numberFlag('--seed', flags.seed),
    keys: [{ key: flags.key, state: 'active' }],
    control: flags.control === true,
    ...(flags.verbose === true && { verbose: (line: string) => terminal.note(line) }),
    ...defined({
      assumptions: assumptionsFlag(flags),
      prices: await readRules('--prices', flags.prices, io.cwd, parsePriceRules),
      faults: await readRules('--faults', flags.faults, io.cwd, parseEmulatorFaults),
    }),
  };
  const emulator = await startEmulator(options).catch((error: unknown) => {
    // Its messages are sentences about the option that is wrong.
    throw new UserError(error instanceof Error ? error.message : String(error));
  });
  if (flags.json === true) {
    const timeScale = options.speed ?? 1;
    terminal.json({ schema: 1, url: emulator.url, port: emulator.port, apiKey: flags.key, timeScale });
  } else {
    terminal.data(emulator.url);
  }
  for (const line of startLines(emulator.url, flags)) terminal.note(line);
  await new Promise<void>((done) => {
    const stops = [io.onInterrupt(end), io.onTerminate(end)];
    function end(): void {
      for (const stop of stops) stop();
      done();
    }
  });
  await emulator.close();
}

/** What to paste into the terminal of the rehearsal; without the time scale it would wait as long as the real service. */
function startLines(url: string, { key, speed }: EmulatorFlags): string[] {
  return [
    'rehearse in another terminal with:',
    `  export CALLSHEET_BASE_URL=${url}`,
    `  export CALLSHEET_API_KEY=${/^[\w-]+$/.test(key) ? key : `'${key.replaceAll("'", "'\\''")}'`}`,
    `  export CALLSHEET_TIME_SCALE=${speed}`,
    ...(Number(speed) === 1
      ? []
      : [`speed ${speed}: render times are divided and requests per minute multiplied by it`]),
    'the emulator runs until Ctrl-C; nothing here is the real service',
  ];
}

function assumptionsFlag({ assumptions, seed }: EmulatorFlags): { seed: number } | undefined {
  if (assumptions === undefined) return undefined;
  const text = assumptions === 'drawn' ? seed : assumptions;
  if (!/^\d{1,9}$/.test(text)) {
    throw new UserError(`--assumptions must be 'drawn' or a whole number, got '${assumptions.slice(0, 40)}'`);
  }
  return { seed: Number(text) };
}

function portFlag(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UserError(`--port must be a whole number from 0 to 65535, got '${text.slice(0, 40)}'`);
}

/** What is no amount at all is said by the emulator. */
function balanceFlag(text: string): string {
  if (text.startsWith('-')) throw new UserError(`--balance must be 0 or more, got '${text.slice(0, 40)}'`);
  return text;
}

function numberFlag(flag: string, text: string): number {
  if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new UserError(`${flag} must be a number, got '${text.slice(0, 40)}'`);
}

/** callsheet's own waits are divided by the same number, and never made longer. */
function speedFlag(text: string): number {
  const speed = numberFlag('--speed', text);
  if (speed < 1) throw new UserError(`--speed must be 1 or more, got '${text}'`);
  return speed;
}

async function readRules<Rule>(
  flag: string,
  path: string | undefined,
  cwd: string,
  parse: (json: unknown) => Rule,
): Promise<Rule | undefined> {
  if (path === undefined) return undefined;
  try {
    // Editors of Windows put a byte order mark before JSON; the decoder leaves it out.
    return parse(JSON.parse(new TextDecoder().decode(await readFile(resolve(cwd, path)))));
  } catch (error) {
    throw new UserError(`${flag} ${path}: ${fileFlaw(error)}`);
  }
}

/** What reading a file of rules came to, without the words of Node. */
function fileFlaw(error: unknown): string {
  if (error instanceof SyntaxError) return `the file is empty or no valid JSON (${error.message})`;
  const { code, message = String(error) } = error as NodeJS.ErrnoException;
  if (code === undefined) return message;
  return code === 'EISDIR' ? `${fileReason(error)}; name a JSON file` : fileReason(error);
}
