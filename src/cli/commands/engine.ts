import type { Command } from 'commander';
import { awaitedOf, awaitedText, type EngineState } from '../../engine/engine-status.js';
import type { Cli } from '../io.js';
import { addExamples, commandHint, openSession, withSettings } from '../open-session.js';
import type { Session } from '../session.js';
import { EXIT, READ_EXIT_HELP, STATUS_EXIT_HELP } from '../user-error.js';

/** `engine status | stop`: the engine of the data folder. */
export function defineEngine(command: Command, cli: Cli): void {
  command.description(
    'The engine: a Temporal server and a worker that `run` starts in the background, one per data folder.',
  );
  addExamples(command, ['callsheet engine status', 'callsheet engine stop'], STATUS_EXIT_HELP);
  const status = command.command('status').description('Shows whether the engine runs, with its processes and ports.');
  withSettings(status, 'connection', ['callsheet engine status --json'], STATUS_EXIT_HELP).action(async () => {
    const session = await openSession(status, cli);
    const { config, isJson, terminal } = session;
    const { engineStatus } = await import('../../engine/engine-client.js');
    const { leftOpen } = await import('../../engine/stop-engine.js');
    const state = await engineStatus(config.data);
    const left = state === undefined ? leftOpen(config.data) : 0;
    if (left > 0) cli.exitCode = EXIT.standsStill;
    const stands = left > 0 ? { openBatches: left } : {};
    if (isJson)
      terminal.json({ schema: 1, running: state !== undefined, dataFolder: config.data, ...stands, ...state });
    else if (state === undefined) terminal.data(`no engine runs in ${config.data}; ${nextStep(session, left)}`);
    else for (const line of engineLines(state)) terminal.data(line);
  });
  const stop = command
    .command('stop')
    .description(
      'Ends the engine in order: nothing new is submitted, and paid calls that are under way get their answers, which\n' +
        'may take minutes. Batches go on at the next `callsheet run`, `resume` or `retry`.',
    )
    .option('--now', 'do not wait for paid calls: what they bought may be lost');
  withSettings(
    stop,
    'connection',
    ['callsheet engine stop', 'callsheet engine stop --now', 'callsheet engine stop --data ./.callsheet'],
    READ_EXIT_HELP,
  ).action(async () => {
    const session = await openSession(stop, cli);
    const { config, isJson, terminal } = session;
    const { leftOpen, stopEngine } = await import('../../engine/stop-engine.js');
    const isForced = stop.opts<{ now?: boolean }>().now === true;
    const onAwaiting = (text: string): void => terminal.note(`the engine ends: ${text}; --now does not wait`);
    let isIdle = false;
    const onOrdered = ({ openBatches, otherWork }: EngineState): void => {
      isIdle = openBatches === 0 && otherWork === 0;
    };
    const outcome = await stopEngine(config.data, { isForced, onAwaiting, onOrdered });
    // A batch that was begun just then is counted only while the engine ends.
    const isNothingLeft = isIdle && leftOpen(config.data) === 0;
    if (isJson) terminal.json({ schema: 1, dataFolder: config.data, outcome });
    else terminal.data(outcome === 'stopped' ? stoppedText(session, isNothingLeft) : STOPPED[outcome]);
  });
}

const STOPPED = {
  killed: 'the engine did not answer and was ended by force; the next command starts a new one',
  draining:
    'the engine did not answer and was ended; its worker may still wait for paid calls and ends by itself (--now ends it)',
  none: 'no engine runs',
} as const;

/** `isNothingLeft`: nothing was open, so nothing goes on at the service; false where the engine had not counted it yet. */
function stoppedText(session: Session, isNothingLeft: boolean): string {
  if (isNothingLeft) return 'the engine ended';
  const resume = commandHint(session, 'resume --all');
  return `the engine ended; what the service has accepted renders on there and is fetched when it runs again: \`${resume}\``;
}

function nextStep(session: Session, openBatches: number): string {
  if (openBatches === 0) return `\`${commandHint(session, 'run')}\` starts one`;
  const what = openBatches === 1 ? '1 batch stands' : `${openBatches} batches stand`;
  return `${what} still with open rows: \`${commandHint(session, 'resume --all')}\` goes on`;
}

export function engineLines(state: EngineState): string[] {
  const awaited = awaitedOf(state);
  const restarts = state.server.restarts + state.worker.restarts;
  return [
    `engine    ${state.state}, process ${state.pid}, since ${new Date(state.startedAtMs).toISOString()}`,
    `folder    ${state.dataFolder}`,
    `Temporal  ${state.address ?? 'not ready'}, process ${state.server.pid ?? 'restarting'}`,
    ...(state.uiAddress === null ? [] : [`web UI    ${state.uiAddress}`]),
    `worker    process ${state.worker.pid ?? 'restarting'}, accounts: ${state.accounts.join(', ') || 'none yet'}`,
    `batches   ${state.openBatches ?? 'unknown'} open${state.otherWork ? `, and ${state.otherWork} other ${state.otherWork === 1 ? 'workflow' : 'workflows'}` : ''}${state.endsAtMs === null ? '' : `; ends at ${new Date(state.endsAtMs).toISOString()} unless used`}`,
    ...(awaited.length === 0 ? [] : [`ends      ${awaitedText(awaited)}`]),
    ...(restarts === 0 ? [] : [`restarts  ${restarts}`]),
    `logs      ${state.logs.engine}`,
  ];
}
