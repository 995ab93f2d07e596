import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { LateOutputInput } from '../src/contract/outputs.js';
import { fetchRound } from './fetch-row.js';

/** A week of hourly questions is one or two runs. */
const EVENTS_MAX = 1_500;

/**
 * Fetches a paid output after its row has ended without it, for as long as its URL or its handle may live. It is no row
 * of the batch, so that the batch ends; waiting costs no event, since the server repeats the one activity.
 */
export async function lateOutput(input: LateOutputInput): Promise<void> {
  const { account, row, n, timeScale } = input;
  let { before } = input;
  for (;;) {
    const round = await fetchRound({ account, row, n, timeScale, before, isLate: true });
    if (round.outcome !== 'asked') return;
    before = round.tries;
    if (workflowInfo().historyLength >= EVENTS_MAX) await continueAsNew<typeof lateOutput>({ ...input, before });
  }
}
