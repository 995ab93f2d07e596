import { resultLines } from '../../home/result-lines.js';
import { resultSources } from '../access/home-access.js';
import { batchTally } from './batch-tally.js';
import type { KnownBatch } from './known-batch.js';

/** What there is to go on with in a batch that nothing works on. */

type Kept = Pick<KnownBatch, 'access' | 'batch' | 'generation'>;

export async function hasOpenRows({ access, batch, generation }: Kept): Promise<boolean> {
  return (await batchTally(access, batch, generation.generation)).open > 0;
}

/** True when a paid output is still to be fetched: a server that was wiped knows nothing of it. */
export async function waitsForOutput({ access, batch, generation }: Kept): Promise<boolean> {
  for await (const { record, removed } of resultLines(resultSources(access), batch, generation.generation)) {
    if (!removed && record?.reasonCode === 'output_pending') return true;
  }
  return false;
}
