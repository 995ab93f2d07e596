import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** What a test run came to. */
export interface RunTally {
  /** By the path of the test file. */
  files: Record<string, FileTally>;
  /** Errors that no test file is known for. */
  otherErrors: number;
}

/** Tests of a file. One whose process died, that cannot be loaded, or whose hooks fail, counts as one that failed. */
export interface FileTally {
  passed: number;
  failed: number;
}

/** Writes the tally of the run as JSON, for what counts and decides afterwards. */
export class RunReport implements Reporter {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const tally: RunTally = {
      files: Object.fromEntries(modules.map((one) => [one.moduleId, tallyOf(one)])),
      otherErrors: 0,
    };
    // That of a process that died is told of its file already.
    for (const error of errors.filter(({ message }) => !message.startsWith('[vitest-pool]: Worker '))) {
      const file = tally.files[String(error.VITEST_TEST_PATH)];
      if (file === undefined) tally.otherErrors += 1;
      else file.failed += 1;
    }
    writeFileSync(this.#path, JSON.stringify(tally));
  }
}

function tallyOf(module: TestModule): FileTally {
  if (module.state() === 'queued' || module.state() === 'pending') return { passed: 0, failed: 1 };
  const states = [...module.children.allTests()].map((test) => test.result().state);
  const [passed, failed] = (['passed', 'failed'] as const).map((state) => states.filter((one) => one === state).length);
  return { passed: passed ?? 0, failed: failed || (module.ok() ? 0 : 1) };
}
