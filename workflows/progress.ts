import type { BatchProgress, BatchState } from '../src/contract/workflows.js';
import { blockedOf } from './blocked-rows.js';
import { withAhead } from './chains.js';
import { isDraining } from './window.js';

/** What a watcher of a batch is shown. Pure. */

/** What a batch that is not ending does. */
export function phaseOf(state: BatchState): BatchProgress['phase'] {
  if (isDraining(state)) return 'cancelling';
  return state.paused || state.outputsPaused === true ? 'paused' : 'running';
}

export function progressOf(state: BatchState, phase: BatchProgress['phase']): BatchProgress {
  const { generation, rows, creditsUnknown, events, startedAtMs } = state;
  const [open, blocked] = [state.open.length, blockedOf(state)];
  const [counts, creditsNano] = withAhead(state);
  const held = state.chains?.held ? { held: state.chains.held } : {};
  return { phase, generation, rows, counts, open, ...held, blocked, creditsNano, creditsUnknown, events, startedAtMs };
}
