// A real Temporal development server for a test file, with the flags of the embedded engine.
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { findTemporalCli } from '../../scripts/lib/temporal-cli.mjs';
import { dynamicConfigFlags, sqliteFlags } from '../../src/engine/server.js';

/**
 * For `describe.skipIf(!hasTemporal())`. Without the program the tests are skipped, and say so; where CI is set that
 * is an error.
 */
export function hasTemporal(): boolean {
  if (programPath() !== undefined) return true;
  const sentence = 'no Temporal program, so these tests do not run: `npm run setup` gets one';
  if (process.env.CI === 'true') throw new Error(sentence);
  console.warn(sentence);
  return false;
}

/** Call `teardown()` on it at the end. In memory, unless a database file is named. */
export function startTemporal(options: { dbFilename?: string } = {}): Promise<TestWorkflowEnvironment> {
  const path = programPath();
  if (path === undefined) throw new Error('no Temporal program: `npm run setup` gets one');
  const stored = options.dbFilename === undefined ? {} : { dbFilename: options.dbFilename };
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      ip: '127.0.0.1',
      log: { format: 'pretty', level: 'error' },
      extraArgs: [...dynamicConfigFlags, ...(options.dbFilename === undefined ? [] : sqliteFlags)],
      ...stored,
    },
  });
}

function programPath(): string | undefined {
  const found = findTemporalCli(process.env);
  return 'path' in found ? found.path : undefined;
}
