// One row on an account and a service of its own, on a shared Temporal server: what became of it and what it cost.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { FaultRule, Truth } from '../../emulator/emulator.js';
import type { JobPolicy } from '../../src/contract/workflows.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { Row } from '../../src/domain/row.js';
import { standingOf } from '../../src/domain/standing.js';
import { type Stack, type StackOptions, startStack } from './stack.js';

export interface OneRow {
  temporal: TestWorkflowEnvironment;
  row: Row;
  faults: FaultRule[];
  policy?: Partial<JobPolicy>;
  options?: StackOptions;
  /** Runs beside the batch. */
  meanwhile?: (stack: Stack) => Promise<void> | void;
  /** Looks at the stack before it is taken down. */
  after?: (stack: Stack) => Promise<void>;
}

export interface Ending {
  status: string | undefined;
  reasonCode: string | undefined;
  /** That were sent. */
  attempts: number;
  jobs: Truth['jobs'];
  truth: Truth;
  record: RowRecord | undefined;
}

export async function runOneRow({ temporal, row, faults, policy, options, meanwhile, after }: OneRow): Promise<Ending> {
  const account = `one-${row.id}`;
  const stack = await startStack({
    speed: 200,
    temporal,
    account,
    ...options,
    emulator: { faults, ...options?.emulator },
  });
  try {
    await stack.startWorker();
    await Promise.all([stack.run('one', [row], { ...(policy ? { policy } : {}) }), meanwhile?.(stack)]);
    await after?.(stack);
    const record = await stack.record('one', row.id);
    // A loaded machine may give up a connection before anything is sent.
    const attempts = (await stack.ledger.read('one', row.id)).filter((one) => standingOf(one) !== 'void').length;
    const truth = stack.emulator.truth();
    return { status: record?.status, reasonCode: record?.reasonCode, attempts, jobs: [...truth.jobs], truth, record };
  } finally {
    await stack.stop();
  }
}
