import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../lib/bench.js';
import type { Stand } from '../lib/stand.js';
import type { Random } from './random.js';
import { soakManifest } from './rows.js';

/** Command lines that run one batch after the other, each started again with the same words whenever it is killed. */
export interface Lanes {
  /** Every batch that was begun, with the ids of its rows. */
  readonly batches: ReadonlyMap<string, readonly string[]>;
  rowsBegun(): number;
  /** Kills one of the running command lines; false where none runs. */
  killOne(): boolean;
  /** Ends of command lines by their exit code (`killed` for ours), over all lanes. */
  readonly exits: Readonly<Record<string, number>>;
  /** Resolves when every lane has ended its last batch. */
  ended: Promise<void>;
}

export interface LaneOptions {
  lanes: number;
  rowsPerBatch: number;
  random: Random;
  /** Whether another batch is to be begun. */
  goesOn(rowsBegun: number): boolean;
}

/** What `run` may end with here: all done, some failed, some for a person. */
const FINISHED = new Set([0, 1, 3]);
const ODD_ENDS_MAX = 200;

export function startLanes(stand: Stand, { lanes, rowsPerBatch, random, goesOn }: LaneOptions): Lanes {
  const batches = new Map<string, readonly string[]>();
  const running = new Set<ChildProcess>();
  const exits: Record<string, number> = {};
  let rows = 0;
  const lane = async (): Promise<void> => {
    while (goesOn(rows)) {
      const batch = `soak${String(batches.size + 1).padStart(2, '0')}`;
      const { ids, csv } = soakManifest(batch, rowsPerBatch, random);
      batches.set(batch, ids);
      rows += rowsPerBatch;
      await writeFile(join(stand.folder, `${batch}.csv`), csv);
      await runToItsEnd(stand, batch, running, exits);
      say(`soak: ${batch} has ended, ${rows} rows begun`);
    }
  };
  return {
    batches,
    exits,
    rowsBegun: () => rows,
    killOne() {
      const victim = random.pick([...running, undefined].slice(0, Math.max(1, running.size)));
      return victim?.kill('SIGKILL') ?? false;
    },
    ended: Promise.all(Array.from({ length: lanes }, lane)).then(() => undefined),
  };
}

async function runToItsEnd(
  stand: Stand,
  batch: string,
  running: Set<ChildProcess>,
  exits: Record<string, number>,
): Promise<void> {
  for (let odd = 0; odd < ODD_ENDS_MAX; ) {
    const child = stand.start('run', `${batch}.csv`, '--yes');
    running.add(child);
    const { code, said } = await endOf(child);
    running.delete(child);
    const name = code === null ? 'killed' : String(code);
    exits[name] = (exits[name] ?? 0) + 1;
    if (code !== null && FINISHED.has(code)) return;
    if (code === null) continue;
    odd += 1;
    say(`soak: run ${batch} ended with ${code}: ${said.trim().slice(-400)}`);
    await sleep(1_000);
  }
  throw new Error(`${batch} cannot be brought to its end`);
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = '';
  const keep = (text: string): void => {
    said = (said + text).slice(-4_000);
  };
  child.stdout?.setEncoding('utf8').on('data', () => undefined);
  child.stderr?.setEncoding('utf8').on('data', keep);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}
