import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figures } from './bench.js';
import { costOf } from './cost.js';
import { enginePids, watchMemory } from './memory.js';
import { endedChildrenCpuSeconds, peakMbOf } from './processes.js';
import { manifestOf, type Scenario, standOf } from './scenario.js';
import { openStand, type Stand } from './stand.js';
import { timesOf } from './times.js';

const LOOK_EVERY_MS = 500;

/** The built command line does the work of a scenario. */
export async function measureCallsheet(scenario: Scenario): Promise<Figures> {
  const stand = await openStand(standOf(scenario));
  try {
    await writeFile(join(stand.folder, 'work.csv'), manifestOf(scenario));
    const before = endedChildrenCpuSeconds();
    const { peakMb, togetherMb } = await runWatched(stand);
    const seconds = endedChildrenCpuSeconds() - before;
    return {
      ...timesOf(await stand.truth(), scenario),
      ...(await costOf(stand, scenario.jobs, { seconds, peakMb })),
      'memory, together, most': [togetherMb, 'MB'],
    };
  } finally {
    await stand.close();
  }
}

/** Gives the most memory that the command has held, and with its engine, MB; throws where it fails. */
async function runWatched(stand: Stand): Promise<{ peakMb: number; togetherMb: number }> {
  const child = stand.start('run', 'work.csv', '--yes');
  child.stdout?.resume();
  child.stderr?.resume();
  let peakMb = 0;
  const look = async (): Promise<void> => {
    peakMb = Math.max(peakMb, (await peakMbOf(child.pid ?? null)) || 0);
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  const together = watchMemory(() => [child.pid, ...enginePids(stand.dataFolder)]);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  const togetherMb = together();
  if (code !== 0) throw new Error(`callsheet run ended with ${code}`);
  return { peakMb, togetherMb };
}
