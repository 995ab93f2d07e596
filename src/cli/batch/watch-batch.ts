import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration } from '../../domain/duration.js';
import { isEngineGone } from '../../engine/engine-client.js';
import type { BatchPlace } from '../access/home-access.js';
import { rejoinWork, type WorkAccess } from '../access/work-access.js';
import { commandHint, hintsOf, nameWords } from '../open-session.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { amount, totalOf } from '../views/counts.js';
import { renderingOf } from '../views/live-view.js';
import { createPresenter } from '../views/presenter.js';
import { blockedText } from '../views/troubles.js';
import { createBatchSource } from './batch-source.js';
import { batchTally } from './batch-tally.js';
import { type FollowEnd, followBatch, type Snapshot } from './follow.js';
import type { JsonEvents } from './json-events.js';
import { fullDisk, otherHomeText } from './known-batch.js';

/** Follows a batch on the screen or as JSONL until it ends or the user goes away. */

interface WatchOptions {
  work: WorkAccess;
  /** Events up to this number were there before this command. */
  afterSeq: number;
  /** Rows that were finished before this command. */
  finishedBefore: number;
  events: JsonEvents | undefined;
  /** Hands the batch to a server that has lost it; undefined for a command that only looks on. */
  supplyAgain: ((work: WorkAccess) => Promise<void>) | undefined;
}

/** Closes the connection in every case. */
export async function watchBatch(at: BatchPlace, options: WatchOptions): Promise<FollowEnd> {
  const { session, access, batch } = at;
  const { io } = session.cli;
  const { supplyAgain } = options;
  const began = await access.home.readBatch(batch);
  const isGone = async (): Promise<boolean> => !options.work.isShared && (await isEngineGone(session.config.data));
  // The presenter says that nobody answers.
  const source = createBatchSource(at, options.work, () => rejoinWork(session, { isTold: false }), isGone);
  const presenter = await createPresenter({
    io,
    terminal: session.terminal,
    batch,
    hint: hintsOf(session),
    isJson: session.isJson,
    finishedBefore: options.finishedBefore,
    sinceMs: Date.now(),
  });
  const detach = new AbortController();
  const stopListening = io.onInterrupt(() => {
    // The second one is for a terminal that hangs: the work goes on in any case.
    if (detach.signal.aborted) io.quit(EXIT.detached);
    detach.abort();
  });
  // Without a reader nothing more can be told; afterwards the exit code still says how the batch stands.
  io.onReaderGone(() => detach.abort());
  try {
    const end = await followBatch({
      source,
      batch,
      afterSeq: options.afterSeq,
      waitMs: io.isInteractive ? null : session.config.budget.waitMinutes * 60_000,
      // A batch of the same name that began at another time was begun in another home.
      isHome: async () =>
        (await access.home.readBatch(batch))?.createdAtMs === began?.createdAtMs &&
        (await otherHomeText(access, batch)) === undefined,
      supplyAgain: supplyAgain && (() => supplyAgain(source.current())),
      trouble: () => fullDisk(session),
      onSnapshot: (snapshot) => presenter.snapshot(snapshot),
      onEvent: (event) => {
        options.events?.follow(event);
        presenter.event(event);
      },
      signal: detach.signal,
      now: () => Date.now(),
      sleep: (ms) => sleep(ms, undefined, { signal: detach.signal }).catch(() => undefined),
    });
    presenter.done();
    return end;
  } finally {
    stopListening();
    // A connection that hangs must not keep someone who detached.
    await Promise.race([
      source
        .current()
        .close()
        .catch(() => undefined),
      sleep(500, undefined, { ref: false }),
    ]);
  }
}

/** What is said, and the exit code, when a batch was left before it ended. */
export async function leaveBatch(
  at: BatchPlace,
  end: Exclude<FollowEnd, { end: 'ended' }>,
  events: JsonEvents | undefined,
): Promise<number> {
  const { session, batch } = at;
  const { terminal } = session;
  const tell = async (reason: string, exitCode: number): Promise<void> => {
    events?.detached(reason, exitCode);
    await events?.written();
  };
  switch (end.end) {
    case 'detached':
      await tell('interrupted', EXIT.detached);
      for (const line of detachLines(session, batch, end.last)) terminal.say(line);
      return EXIT.detached;
    case 'paused_too_long': {
      const isOutOfCredits = end.reason === 'credits';
      const forPerson = isOutOfCredits ? await countForPerson(at, end.last) : 0;
      const ownCode = isOutOfCredits ? EXIT.outOfCredits : EXIT.configuration;
      const exitCode = forPerson > 0 ? EXIT.needsPerson : ownCode;
      await tell(end.reason, exitCode);
      terminal.error(pausedText(session, batch, end));
      if (forPerson > 0) terminal.warn(personText(session, batch, forPerson));
      return exitCode;
    }
    case 'stopped':
      await tell('stopped', EXIT.standsStill);
      terminal.error(
        `the engine was stopped by order: rows of '${batch}' are open and nothing works on them; \`${commandHint(session, `resume ${nameWords(batch)}`)}\` goes on`,
      );
      return EXIT.standsStill;
    case 'broken':
      throw new UserError(
        `the workflow of '${batch}' is ${end.word} at the Temporal server before all rows ended: the same \`callsheet run\` again goes on`,
        EXIT.someNotDone,
      );
    case 'other_home':
      throw new UserError(
        `${session.config.home} is not the home that '${batch}' goes on in, or an earlier state or a copy of it: bring that one back before you run again; a run from this one would pay again for what is at the service`,
        EXIT.configuration,
      );
  }
}

/** Rows that need a person outrank a lack of credits. */
async function countForPerson({ access, batch }: BatchPlace, { progress }: Snapshot): Promise<number> {
  const { counts, generation } = progress;
  if (counts.review + counts.lost_paid === 0) return 0;
  // Those that a person gave up as lost need nobody any more, which only their records tell.
  return (await batchTally(access, batch, generation)).forPerson;
}

function personText(session: Session, batch: string, rows: number): string {
  return `${amount(rows, 'row needs', 'rows need')} a person: \`${commandHint(session, `review list ${nameWords(batch)}`)}\` shows them`;
}

function detachLines(session: Session, batch: string, last: Snapshot | undefined): string[] {
  const where = session.config.temporal.address === null ? 'in the background' : 'on the shared Temporal';
  const holders = last?.slots?.holders.filter(({ job }) => job.batch === batch);
  const atService = holders === undefined ? undefined : renderingOf(holders);
  const left = last === undefined ? undefined : last.progress.rows - totalOf(last.progress.counts);
  return [
    `detached: batch '${batch}' goes on ${where}${left === undefined ? '' : `, ${amount(left, 'row is', 'rows are')} not finished`}`,
    renderingText(atService),
    `watch:   ${commandHint(session, `watch ${nameWords(batch)}`)}`,
    `cancel:  ${commandHint(session, `cancel ${nameWords(batch)}`)}`,
  ];
}

/** By the last look, since which jobs may have ended and others begun. */
function renderingText(atService: number | undefined): string {
  if (atService === undefined) return 'jobs that were submitted render on at the service and are billed';
  if (atService === 0)
    return 'no job rendered at the service when that was last seen; new ones follow, render on and are billed';
  return `up to ${amount(atService, 'job renders', 'jobs render')} at the service now and will be billed; new ones follow`;
}

function pausedText(session: Session, batch: string, end: Extract<FollowEnd, { end: 'paused_too_long' }>): string {
  const waited = formatDuration(session.config.budget.waitMinutes * 60_000);
  const again = commandHint(session, `watch ${nameWords(batch)}`);
  switch (end.reason) {
    case 'credits':
      return `out of credits for longer than ${waited}: the batch waits in the background and goes on by itself once the balance rises; \`${again}\` follows it`;
    case 'key':
      return `the service has not accepted the API key for longer than ${waited}: have it unblocked there, or set another one in CALLSHEET_API_KEY or --api-key-file, then \`${commandHint(session, `resume ${nameWords(batch)}`)}\` goes on at once`;
    case 'outputs':
      return `nothing could be stored for longer than ${waited}: ${blockedText(end.last.progress.blocked, commandHint(session, `resume ${nameWords(batch)}`))}; \`${again}\` follows the batch`;
    case 'records':
      return `the home ${session.config.home} could not be written for longer than ${waited}: make room or mend its permissions; \`${again}\` follows the batch`;
  }
}
