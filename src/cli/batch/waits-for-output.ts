import { resultLines } from '../../home/result-lines.js';
import { resultSources } from '../access/home-access.js';
import type { KnownBatch } from './known-batch.js';

/** True when a paid output is still to be fetched: a server that was wiped knows nothing of it. */
export async function waitsForOutput({ access, batch, generation }: KnownBatch): Promise<boolean> {
  for await (const { record, removed } of resultLines(resultSources(access), batch, generation.generation)) {
    if (!removed && record?.reasonCode === 'output_pending') return true;
  }
  return false;
}
