import { setTimeout as sleep } from 'node:timers/promises';
import { withFlagsOfAccount } from '../../config/make-config.js';
import { engineStatus } from '../../engine/engine-client.js';
import { builtPrograms } from '../../engine/engine-options.js';
import { awaitedOf, awaitedText } from '../../engine/engine-status.js';
import { locateTemporalCli } from '../../engine/start-detached.js';
import { createSupervisor } from '../../engine/supervisor.js';
import { startWork } from '../access/work-access.js';
import { buildId } from '../access/work-place.js';
import { engineLines } from '../commands/engine.js';
import { commandHint } from '../open-session.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import { EXIT, UserError } from '../user-error.js';

/** The engine in this process, in the foreground. */

/** It ends by Ctrl-C alone. */
const IDLE_MS = 10 * 365 * 86_400_000;

export async function runEngine(session: Session, uiPort: number): Promise<number> {
  const { terminal, config } = session;
  const { io } = session.cli;
  const cli = await locateTemporalCli((line) => terminal.note(line));
  const log = engineLog(terminal);
  const options = {
    dataFolder: config.data,
    buildId: buildId(),
    temporalCli: cli.path,
    worker: builtPrograms.worker,
    idleMs: IDLE_MS,
    uiPort,
  };
  const engine = createSupervisor(options, log);
  if (engine === undefined) {
    throw new UserError(
      `an engine runs in ${config.data} already: end it with \`callsheet engine stop\`, or use another --data`,
      EXIT.configuration,
    );
  }
  let isEnding = false;
  const stop = (why: 'Ctrl-C' | 'SIGTERM') => () => {
    if (!isEnding) void sayAwaited(session, engine.stopped);
    isEnding = true;
    void engine.stop(why);
  };
  const listeners = [io.onInterrupt(stop('Ctrl-C')), io.onTerminate(stop('SIGTERM'))];
  try {
    await engine.start();
    await serveAccount(session);
    const state = await engineStatus(config.data);
    if (session.isJson) terminal.json({ schema: 1, running: true, ...state });
    else if (state !== undefined) for (const line of engineLines(state)) terminal.data(line);
    terminal.note('the engine runs until Ctrl-C; `callsheet run` in another terminal uses it');
    await engine.stopped;
    return EXIT.done;
  } catch (error) {
    await engine.stop('the start failed');
    // Who ends it while it starts gets what was asked for.
    if (isEnding) return EXIT.done;
    throw error;
  } finally {
    for (const listener of listeners) listener();
  }
}

const LOOK_MS = 1_000;

/** Says what an engine that ends still waits for, and what does not: an image may take 15 minutes. */
export async function sayAwaited(session: Session, stopped: Promise<void>): Promise<void> {
  const now = commandHint(session, 'engine stop --now');
  let isOver = false;
  let told = '';
  const over = stopped.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const state = await engineStatus(session.config.data).catch(() => undefined);
    const calls = state === undefined ? [] : awaitedOf(state);
    const text = calls.length === 0 ? '' : awaitedText(calls);
    if (text !== '' && text !== told) session.terminal.note(`the engine ends: ${text}; \`${now}\` does not wait`);
    told = text;
    await Promise.race([over, sleep(LOOK_MS, undefined, { ref: false })]);
  }
}

/** With a base URL and a key the worker serves the account at once; else the first command brings them. */
async function serveAccount(session: Session): Promise<void> {
  const { config, terminal } = session;
  if (config.baseUrl === null || session.keyOrigin === undefined) {
    terminal.note('no base URL or API key here: the first command that has them brings them');
    return;
  }
  const work = await startWork({ ...session, config: withFlagsOfAccount(config) });
  await work.close();
}

function engineLog(terminal: Terminal) {
  const line = (facts: object, sentence: string): string => {
    const shown = Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`);
    return [sentence, ...shown].join(' ');
  };
  return {
    info: (facts: object, sentence: string) => terminal.detail(line(facts, sentence)),
    warn: (facts: object, sentence: string) => terminal.warn(line(facts, sentence)),
  };
}
