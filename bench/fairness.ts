import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { imageManifest } from './lib/manifests.js';
import { openStand } from './lib/stand.js';
import { endOf } from './lib/truth.js';
import { secondsUntil } from './lib/until.js';

/** What ten small batches get of the slots beside a large one that was there first; all of equal weight. */

const LARGE_ROWS = 20_000;
const SMALL_ROWS = 100;
const SMALL = Array.from({ length: 10 }, (_, i) => `small-${i}`);
const SLOTS = 20;
const RENDER_S = 3;
/** The large one is well under way. */
const SUBMITTED = 60;
const GIVE_UP_S = 300;

export async function fairness({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  for (let run = 1; run <= runs; run += 1) {
    const stand = await openStand({
      emulator: { plan: 'enterprise', renderSeconds: { 'svc/image': [RENDER_S, RENDER_S] }, balanceCredits: '100000' },
      limits: { rpm: 20_000, concurrent: SLOTS },
    });
    try {
      for (const name of SMALL) await writeFile(join(stand.folder, `${name}.csv`), imageManifest(SMALL_ROWS, name));
      await writeFile(join(stand.folder, 'large.csv'), imageManifest(LARGE_ROWS, 'large'));
      const large = stand.start('run', 'large.csv', '--yes');
      large.stdout?.resume();
      large.stderr?.resume();
      const largeEnded = once(large, 'close');
      await secondsUntil(async () => (await stand.jobCount()) >= SUBMITTED, GIVE_UP_S);
      const beganMs = Date.now();
      await Promise.all(SMALL.map((name) => stand.callsheet('run', `${name}.csv`, '--yes')));
      const { jobs } = await stand.truth();
      await stand.callsheet('cancel', 'large');
      await largeEnded;
      const of = (name: string) => jobs.filter(({ body }) => promptOf(body).includes(`, ${name} `));
      const firsts = SMALL.map((name) => Math.min(...of(name).map(({ request }) => request.arrivedMs)) - beganMs);
      const lasts = SMALL.map((name) => Math.max(...of(name).map(endOf)) - beganMs);
      const wholeMs = Math.max(...lasts);
      // Eleven batches share the slots alike until the ten have ended together.
      const sharedS = (SMALL.length * SMALL_ROWS * RENDER_S) / ((SLOTS * SMALL.length) / (SMALL.length + 1));
      const meanwhile = of('large').filter(
        ({ request: { arrivedMs } }) => arrivedMs >= beganMs && arrivedMs < beganMs + wholeMs,
      );
      const equal = ((wholeMs / 1_000 / RENDER_S) * SLOTS) / (SMALL.length + 1);
      measures.add('ten batches: from the commands to the last end ÷ by equal shares', '', wholeMs / 1_000 / sharedS);
      measures.add('ten batches: the last to end ÷ the first', '', wholeMs / Math.min(...lasts));
      measures.add('ten batches: from the commands to a first submit, most', 's', Math.max(...firsts) / 1_000);
      measures.add('the large one meanwhile ÷ an equal share', '', meanwhile.length / equal);
      say(`fairness ${run} of ${runs}: ten batches ended after ${(wholeMs / 1_000).toFixed(0)} s`);
    } finally {
      await stand.close();
    }
  }
  return {
    name: 'fairness',
    settings: {
      batches: `one of ${LARGE_ROWS} rows, ten of ${SMALL_ROWS}`,
      ...{ renderSeconds: RENDER_S, slots: SLOTS, server: 'embedded, SQLite file' },
    },
    measures: measures.all(),
  };
}

function promptOf(body: unknown): string {
  return String((body as { prompt?: unknown }).prompt);
}
