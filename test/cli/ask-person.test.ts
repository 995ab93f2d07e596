// A question to a person: every way to leave it is a no, and the command goes on to say what was not done.
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { askPerson } from '../../src/cli/ask-person.js';
import { sayEarlyInterrupt } from '../../src/cli/batch/submit-and-follow.js';
import type { Session } from '../../src/cli/session.js';

async function answered(type: (stdin: PassThrough) => void): Promise<{ granted: boolean; shown: string }> {
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  let shown = '';
  stderr.on('data', (text) => {
    shown += String(text);
  });
  const asked = askPerson({ stdin, stderr }, 'Submit 3 rows?');
  // The prompt is loaded and listens by then.
  while (!shown.includes('Submit')) await sleep(5);
  type(stdin);
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
