// Carries out draws: many lanes without an engine beside the one with it, in this process or in several.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { violations } from './check.js';
import { allLeaves } from './commands.js';
import { type Draw, drawOne } from './draw.js';
import { type Lane, openLane } from './lane.js';
import { openLiveLane } from './live.js';
import { KEY } from './place.js';
import { openStage, type Stage } from './stage.js';
import { addDraw, type Flaw, newTally, type Tally } from './tally.js';

export interface Share {
  seed: number;
  /** Numbers of the draws, from 1. */
  numbers: readonly number[];
  lanes: number;
}

/** Carries out the draws of one process; `onFlaw` hears of each that fails. */
export async function runShare({ seed, numbers, lanes }: Share, onFlaw: (flaw: Flaw) => void): Promise<Tally> {
  const leaves = await allLeaves();
  const draws = numbers.map((number) => drawOne(seed, number, leaves));
  const tally = newTally();
  const stage = await openStage();
  const opened: Lane[] = [];
  try {
    for (let i = 0; i < lanes; i += 1) opened.push(await openLane(stage, `lane${i}`));
    const live = await openLiveLane(stage);
    const cold = draws.filter(({ situation }) => situation.live === undefined);
    const warm = draws.filter(({ situation }) => situation.live !== undefined);
    const work = async (lane: Lane, queue: Draw[]): Promise<void> => {
      for (let draw = queue.shift(); draw !== undefined; draw = queue.shift()) {
        const outcome = await lane.carryOut(draw);
        addDraw(tally, draw, outcome.ended.exitCode);
        const broken = violations(draw, outcome);
        if (broken.length > 0) onFlaw(noted(tally, flawOf(seed, draw, broken, outcome.ended.stderr)));
      }
    };
    await Promise.all([...opened.map((lane) => work(lane, cold)), work(live, warm)]);
    await live.close();
    const shown = logsWithKey(stage);
    if (shown !== undefined) onFlaw(noted(tally, { draw: 0, command: shown, broken: ['the API key stands in a log'] }));
  } finally {
    for (const lane of opened) await lane.close();
    await stage.close();
  }
  return tally;
}

function noted(tally: Tally, flaw: Flaw): Flaw {
  tally.flaws.push(flaw);
  return flaw;
}

function flawOf(seed: number, { number, situation, words }: Draw, broken: string[], stderr: string): Flaw {
  const said = stderr.trim().split('\n').slice(-3).join('\n').slice(0, 600);
  const again = `npm run situations -- --seed ${seed} --draw ${number}`;
  return { draw: number, situation: situation.name, command: `callsheet ${words.join(' ')}`, broken, said, again };
}

function logsWithKey({ data }: Stage): string | undefined {
  const folder = join(data, 'logs');
  return readdirSync(folder).find((name) => readFileSync(join(folder, name), 'utf8').includes(KEY));
}
