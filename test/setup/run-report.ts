import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** What a test run came to. */
export interface RunTally {
  passed: number;
  failed: number;
  /** Files whose process died before they had ended; their tests are in neither number. */
  died: string[];
  /** Errors outside any test, those of dead processes apart. */
  otherErrors: number;
}

/** Writes the tally of the run as JSON, for what counts and decides afterwards. */
export class RunReport implements Reporter {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const otherErrors = errors.filter(({ message }) => !message.startsWith('[vitest-pool]: Worker ')).length;
    const tally: RunTally = { passed: 0, failed: 0, died: [], otherErrors };
    for (const module of modules) addModule(tally, module);
    writeFileSync(this.#path, JSON.stringify(tally));
  }
}

function addModule(tally: RunTally, module: TestModule): void {
  if (module.state() === 'queued' || module.state() === 'pending') {
    tally.died.push(module.moduleId);
    return;
  }
  const states = [...module.children.allTests()].map((test) => test.result().state);
  const failed = states.filter((state) => state === 'failed').length;
  tally.passed += states.filter((state) => state === 'passed').length;
  // A file that cannot be loaded, or whose hooks fail, counts as one.
  tally.failed += failed === 0 && !module.ok() ? 1 : failed;
}
