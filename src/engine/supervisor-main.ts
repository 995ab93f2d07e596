/** Entry of the detached engine process; its one argument is a `SupervisorOptions` as JSON. */
import pino from 'pino';
import type { StartReport, SupervisorOptions } from './engine-options.js';
import { createSupervisor } from './supervisor.js';

const destination = pino.destination({ fd: 2, sync: true });
// A log that cannot be written, on a full disk for one, is no reason to end.
destination.on('error', () => undefined);
const log = pino({ base: { pid: process.pid } }, destination);

function report(message: StartReport): void {
  // The client may be gone already: the log has it too.
  if (process.connected) process.send?.(message);
}

async function main(): Promise<void> {
  const options = JSON.parse(process.argv[2] ?? '') as SupervisorOptions;
  // The client that started it may end at any time; a closed terminal is no reason to end.
  process.on('SIGHUP', () => undefined);
  const engine = createSupervisor(options, log);
  if (engine === undefined) {
    report({ type: 'lost' });
    return;
  }
  process.on('SIGTERM', () => void engine.stop('SIGTERM'));
  process.on('SIGINT', () => void engine.stop('SIGINT'));
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'unexpected error');
    process.exitCode = 1;
    void engine.stop('unexpected error');
  });
  try {
    await engine.start();
  } catch (error) {
    await engine.stop('the start failed');
    throw error;
  }
  await engine.stopped;
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  log.error({ err: error }, 'the engine did not start');
  report({ type: 'failed', message });
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
// The SDK's connections may still have timers; everything of ours is closed.
setTimeout(() => process.exit(), 500).unref();
