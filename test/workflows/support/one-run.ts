// One run of a workflow over plain promises and the clock of the test, without a server: to show what it does in its
// own time. Give it to `vi.mock('@temporalio/workflow', …)` with fake timers.

type Handler = (message: never) => unknown;

/** How a run hands over: with what the next one begins with. */
export class HandedOver<Input = unknown> extends Error {
  override readonly name = 'HandedOver';
  constructor(readonly input: Input) {
    super('the run hands over');
  }
}

interface Run {
  historyLength: number;
  handlers: Map<string, Handler>;
}

/** Conditions are looked at so often, ms. */
const LOOK_EVERY_MS = 250;

let current: Run = { historyLength: 0, handlers: new Map() };

/** Begins a run; what an earlier one still waits for never comes. */
export function beginRun(): Run {
  current = { historyLength: 0, handlers: new Map() };
  return current;
}

export const currentRun = (): Run => current;

/** Sends the run a signal, or asks it a query. */
export function tell<Message, Answer>({ name }: { name: string }, message?: Message): Answer {
  const handler = current.handlers.get(name);
  if (handler === undefined) throw new Error(`nobody listens to '${name}'`);
  return handler(message as never) as Answer;
}

/** What a run that has ended waits for never comes. */
function later<T>(run: Run, soon: Promise<T>): Promise<T> {
  return soon.then((value) => (run === current ? value : NEVER));
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const NEVER = new Promise<never>(() => undefined);

export const oneRun = {
  /** Nobody cancels. */
  CancellationScope: {
    current: () => ({ consideredCancelled: false, cancelRequested: NEVER }),
    nonCancellable: <T>(work: () => Promise<T>) => work(),
  },
  workflowInfo: () => ({ historyLength: current.historyLength, startTime: new Date() }),
  allHandlersFinished: () => true,
  patched: () => true,
  setHandler: ({ name }: { name: string }, handler: Handler) => void current.handlers.set(name, handler),
  continueAsNew: (input: unknown) => Promise.reject(new HandedOver(input)),
  sleep: (ms: number) => later(current, after(ms)),
  async condition(isMet: () => boolean, timeout?: string): Promise<boolean> {
    const run = current;
    const untilMs =
      timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number.parseInt(timeout, 10) * 1_000;
    while (!isMet()) {
      if (Date.now() >= untilMs) return false;
      await later(run, after(LOOK_EVERY_MS));
    }
    return true;
  },
};

/** What a batch asks of the home and of its end, in place of activities: for `vi.mock('../../workflows/proxies.js', …)`. */
export const batchProxies = <Home, Whole>(home: Home, whole: Whole) => ({
  homeProxy: () => home,
  wholeBatchProxy: () => whole,
  lastReadProxy: () => ({ readAccount: async () => undefined }),
});

/** What `@temporalio/workflow` is in the run; messages to other workflows go to what `handleOf` gives. */
export async function workflowModule(
  original: () => Promise<unknown>,
  handleOf: (id: string) => object,
): Promise<object> {
  return { ...((await original()) as object), ...oneRun, getExternalWorkflowHandle: handleOf };
}
