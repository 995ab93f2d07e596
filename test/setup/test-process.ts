import { ForksPoolWorker, type PoolOptions, type WorkerRequest } from 'vitest/node';

/** The processes that the test files run in, one for each. */
export const testProcesses = {
  name: 'test-processes',
  createPoolWorker: (options: PoolOptions) => new TestProcess(options),
};

/** Vitest's own, but when it dies alone (a crash of native code, a signal) it says which file it ran, and of what. */
class TestProcess extends ForksPoolWorker {
  override readonly name = testProcesses.name;
  #files: string[] = [];
  #isStopped = false;

  override async start(): Promise<void> {
    await super.start();
    this.on('exit', (code: number | null, signal: string | null = null) => {
      if (this.#isStopped) return;
      const cause = signal === null ? `code ${code}` : `signal ${signal}`;
      console.error(`A test process died with ${cause} while it ran ${this.#files.join(', ') || 'no file yet'}.`);
    });
  }

  override send(message: WorkerRequest): void {
    if (message.type === 'run') this.#files = message.context.files.map(({ filepath }) => filepath);
    super.send(message);
  }

  override stop(): Promise<void> {
    this.#isStopped = true;
    return super.stop();
  }
}
