import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Of those that take minutes, the longest first: one that began last would run alone in the end. */
const LONGEST = [
  'test/e2e/crashes.test.ts',
  'test/e2e-cli/killed.test.ts',
  'test/e2e-cli/steering.test.ts',
  'test/e2e-cli/reuse.test.ts',
  'test/e2e-cli/shared.test.ts',
  'test/e2e/interchangeable.test.ts',
  'test/e2e-cli/graphs.test.ts',
  'test/e2e-cli/mixed-rows.test.ts',
  'test/e2e-cli/limits.test.ts',
  'test/e2e-cli/s3.test.ts',
  'test/e2e-cli/copied-home.test.ts',
  'test/e2e-cli/rerun.test.ts',
  'test/e2e-cli/dashboard.test.ts',
  'test/e2e-cli/chains.test.ts',
  'test/e2e-cli/sample.test.ts',
  'test/e2e-cli/review-chains.test.ts',
  'test/e2e-cli/exit-codes.test.ts',
  'test/e2e/chain-graphs.test.ts',
  'test/e2e-cli/paused-worker.test.ts',
  'test/e2e/polls-and-downloads.test.ts',
  'test/e2e-cli/tried-again.test.ts',
  'test/e2e-cli/strangers.test.ts',
  'test/e2e/account-states.test.ts',
  'test/e2e/hand-over.test.ts',
  'test/situations/situations.test.ts',
  'test/e2e-cli/accounts.test.ts',
  'test/e2e-cli/views.test.ts',
  'test/e2e/lost-answers.test.ts',
  'test/e2e/operators.test.ts',
  'test/e2e-cli/taken.test.ts',
  'test/e2e/rescue.test.ts',
  'test/e2e/money-faults.test.ts',
  'test/e2e-cli/bad-input.test.ts',
  'test/e2e-cli/bad-network.test.ts',
  'test/e2e/continuations.test.ts',
  'test/e2e-cli/budget.test.ts',
  'test/engine/killed.test.ts',
  'test/engine/engine.test.ts',
  'test/cli/trusted-home.test.ts',
  'test/cli/temporal-away.test.ts',
  'test/sim/sim.test.ts',
  'test/engine/temporal-connection.test.ts',
  'test/browser/dashboard.test.ts',
  'test/media/tracks.test.ts',
  'test/cli/long-requests.test.ts',
];

/** Vitest knows how long a file took from earlier runs alone, which a fresh checkout has not seen. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.indexOf(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/'));
      return place === -1 ? LONGEST.length : place;
    };
    // Files that share a process come last of their group: it ends as soon as another project's file is next.
    const group = ({ project: { config } }: TestSpecification): number =>
      2 * (config.sequence.groupOrder ?? 0) + (config.isolate ? 0 : 1);
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => group(a) - group(b) || rank(a) - rank(b));
  }
}
