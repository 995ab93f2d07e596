// A question to a person: every way to leave it is a no, and the command goes on to say what was not done.
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { askPerson } from '../../src/cli/ask-person.js';
import { sayEarlyInterrupt } from '../../src/cli/batch/early-interrupt.js';
import type { Session } from '../../src/cli/session.js';

async function answered(
  type: (stdin: PassThrough, interrupt: () => void) => void,
  isTerminal = true,
): Promise<{ granted: boolean; shown: string }> {
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  let shown = '';
  stderr.on('data', (text) => {
    shown += String(text);
  });
  let interrupt = (): void => undefined;
  const onInterrupt = (callback: () => void) => {
    interrupt = callback;
    return () => undefined;
  };
  const asked = askPerson({ stdin, stderr, isTerminal, onInterrupt }, 'Submit 3 rows?');
  // The prompt is loaded and listens by then.
  while (!shown.includes('Submit')) await sleep(5);
  type(stdin, interrupt);
  return { granted: await asked, shown };
}

const SHOW_CURSOR = '\u001b[?25h';

test.each<[string, (stdin: PassThrough) => void, boolean]>([
  ['y', (stdin) => stdin.write('y'), true],
  ['n', (stdin) => stdin.write('n'), false],
  ['Enter', (stdin) => stdin.write('\r'), false],
  ['Ctrl-C', (stdin) => stdin.write('\u0003'), false],
  ['4-U14: Ctrl-D', (stdin) => stdin.write('\u0004'), false],
  ['4-U14: an input that ends', (stdin) => stdin.end(), false],
])('%s', async (_name, type, expected) => {
  const { granted, shown } = await answered(type);
  expect(granted).toBe(expected);
  expect(shown).toContain(SHOW_CURSOR);
});

test.each<[string, Parameters<typeof answered>[0], boolean]>([
  ['y', (stdin) => stdin.write('y\n'), true],
  ['a line break of Windows', (stdin) => stdin.write('Yes\r\n'), true],
  ['another word', (stdin) => stdin.write('yesterday\n'), false],
  ['Enter', (stdin) => stdin.write('\n'), false],
  ['Ctrl-C', (_stdin, interrupt) => interrupt(), false],
  ['an input that ends', (stdin) => stdin.end(), false],
])(
  'a terminal without cursor movement, or without a width, is asked on one line: %s',
  async (_name, type, expected) => {
    const { granted, shown } = await answered(type, false);
    expect(granted).toBe(expected);
    expect(shown.trimEnd()).toBe('Submit 3 rows? [y/N]');
  },
);

test('4-U14: Ctrl-C while the engine starts says what was sent, and ends with 130', () => {
  const said: string[] = [];
  const quits: number[] = [];
  let interrupt = (): void => undefined;
  const io = {
    onInterrupt: (callback: () => void) => {
      interrupt = callback;
      return () => undefined;
    },
    quit: (code: number) => quits.push(code),
  };
  const terminal = { say: (line: string) => said.push(line) };
  const early = sayEarlyInterrupt({
    session: { terminal, cli: { io }, origins: new Map() } as unknown as Session,
    batch: 'b',
  });
  interrupt();
  early.handingOver();
  interrupt();
  expect(said[0]).toMatch(/nothing of this run was sent/);
  expect(said[1]).toMatch(/^detached: batch 'b' goes on .*callsheet watch b/);
  expect(quits).toEqual([130, 130]);
});
