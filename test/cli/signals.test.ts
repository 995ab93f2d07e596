import { setImmediate as oneTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { drainAtSignals, processIo } from '../../src/cli/io.js';

test('a closed terminal ends a command in order, as SIGTERM does', () => {
  const seen: string[] = [];
  const over = processIo(() => undefined).onTerminate(() => seen.push('told'));
  process.emit('SIGHUP');
  process.emit('SIGTERM');
  over();
  expect([seen.length, process.listenerCount('SIGHUP')]).toEqual([2, 0]);
});

test('a worker drains once however often it is told, and a second Ctrl-C alone ends it at once', async () => {
  const [interrupts, ends, told]: [(() => void)[], (() => void)[], string[]] = [[], [], []];
  const add = (list: (() => void)[]) => (callback: () => void) => {
    list.push(callback);
    return () => undefined;
  };
  const quit = (code: number): never => told.push(`quit ${code}`) as never;
  drainAtSignals({ onInterrupt: add(interrupts), onTerminate: add(ends), quit }, () => told.push('drain'));
  // A supervisor ends the whole group, and the wrapper hands its own signal on.
  for (const end of [...ends, ...ends]) end();
  await oneTurn();
  expect(told).toEqual(['drain']);
  for (const interrupt of interrupts) interrupt();
  expect(told).toEqual(['drain', 'quit 130']);
});
