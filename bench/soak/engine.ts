import type { EngineState } from '../../src/engine/engine-status.js';
import type { Stand } from '../lib/stand.js';

/** What `engine status` says; undefined where no engine answers at the moment. */
export async function engineState(stand: Stand): Promise<EngineState | undefined> {
  const child = stand.start('engine', 'status', '--json');
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  try {
    const state = JSON.parse(said) as EngineState & { running: boolean };
    return state.running ? state : undefined;
  } catch {
    return undefined;
  }
}
