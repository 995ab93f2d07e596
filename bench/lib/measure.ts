import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figures } from './bench.js';
import { costOf } from './cost.js';
import { endedChildrenCpuSeconds } from './processes.js';
import { manifestOf, type Scenario, standOf } from './scenario.js';
import { openStand } from './stand.js';
import { timesOf } from './times.js';

/** The built command line does the work of a scenario. */
export async function measureCallsheet(scenario: Scenario): Promise<Figures> {
  const stand = await openStand(standOf(scenario));
  try {
    await writeFile(join(stand.folder, 'work.csv'), manifestOf(scenario));
    const before = endedChildrenCpuSeconds();
    await stand.callsheet('run', 'work.csv', '--yes');
    const commandS = endedChildrenCpuSeconds() - before;
    return { ...timesOf(await stand.truth(), scenario), ...(await costOf(stand, scenario.jobs, commandS)) };
  } finally {
    await stand.close();
  }
}
