import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/setup/longest-first.js';
import { RunReport } from './test/setup/run-report.js';
import { testProcesses } from './test/setup/test-process.js';
import { unitFiles } from './test/setup/unit-files.js';

const units = unitFiles();
const report = process.env.CALLSHEET_TEST_REPORT;

/** The Temporal SDK's native bridge must not run in worker threads: every project uses processes. */
export default defineConfig({
  test: {
    pool: testProcesses,
    // More than the two cores of the smallest machine: many tests wait.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // The one second of vitest is too short on a machine that has others to serve.
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['./test/setup/global.ts'],
    reporters: report === undefined ? ['default'] : ['default', new RunReport(report)],
    projects: [
      project('unit', units.together, { testTimeout: 60_000, isolate: false, sequence: { groupOrder: 0 } }),
      project('unit-alone', units.alone, { testTimeout: 60_000, sequence: { groupOrder: 0 } }),
      project('workflow', ['test/workflows/**/*.test.ts'], { testTimeout: 180_000, sequence: { groupOrder: 1 } }),
      project('replay', ['test/replay/**/*.test.ts'], { testTimeout: 180_000, sequence: { groupOrder: 1 } }),
      project('e2e', ['test/e2e/**/*.test.ts', 'test/e2e-cli/**/*.test.ts', 'test/situations/**/*.test.ts'], {
        testTimeout: 900_000,
        isolate: false,
        sequence: { groupOrder: 2 },
      }),
    ],
  },
});

interface ProjectOptions {
  testTimeout: number;
  isolate?: boolean;
  sequence: { groupOrder: number };
}

function project(name: string, include: string[], options: ProjectOptions) {
  return { extends: true as const, test: { name, include, hookTimeout: 600_000, ...options } };
}
