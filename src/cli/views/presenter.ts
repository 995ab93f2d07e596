import type { Hint } from '../../domain/order-words.js';
import type { FollowEvent, Snapshot } from '../batch/follow.js';
import type { Io } from '../io.js';
import { plain, type Terminal } from '../terminal.js';
import { isCounted, liveLines, plainLine, stateOf, type ViewOptions } from './live-view.js';
import { LOST_PLACES } from './troubles.js';

/** Shows a followed batch: a live view on a terminal, else a line now and then. */
interface Presenter {
  snapshot(snapshot: Snapshot): void;
  event(event: FollowEvent): void;
  /** Leaves the last view on the screen. */
  done(): void;
}

interface PresenterOptions {
  io: Io;
  terminal: Terminal;
  batch: string;
  hint: Hint;
  isJson: boolean;
  finishedBefore: number;
  sinceMs: number;
}

const LINE_EVERY_MS = 30_000;

export async function createPresenter(options: PresenterOptions): Promise<Presenter> {
  const { io, terminal, isJson } = options;
  if (terminal.isQuiet) return { snapshot: () => undefined, event: () => undefined, done: () => undefined };
  return io.isTerminal && !isJson ? livePresenter(options) : linePresenter(options);
}

async function livePresenter({ io, terminal, ...options }: PresenterOptions): Promise<Presenter> {
  const { createLogUpdate } = await import('log-update');
  const log = createLogUpdate(io.stderr as NodeJS.WriteStream);
  const pausedBy = createPausedTime();
  const viewOf = (snapshot: Snapshot): ViewOptions => {
    return { ...options, pausedMs: pausedBy(snapshot), columns: io.columns(), paint: terminal.colors };
  };
  return {
    snapshot: (snapshot) => log(liveLines(snapshot, viewOf(snapshot)).join('\n')),
    event: (event) => {
      const line = eventLine(event, terminal.isVerbose);
      if (line !== undefined) log.persist(terminal.colors.dim(line));
    },
    done: () => log.done(),
  };
}

/** How long a batch stood paused from one look to the next, up to the look that is given. */
function createPausedTime(): (snapshot: Snapshot) => number {
  let before: Snapshot | undefined;
  let pausedMs = 0;
  return (snapshot) => {
    if (before?.progress.phase === 'paused') pausedMs += snapshot.atMs - before.atMs;
    before = snapshot;
    return pausedMs;
  };
}

function linePresenter({ terminal, batch, hint, finishedBefore, sinceMs }: PresenterOptions): Presenter {
  let shownAtMs = 0;
  let shownState = '';
  let last: { snapshot: Snapshot; line: string } | undefined;
  let shownLine = '';
  const show = (line: string): void => {
    if (line !== shownLine) terminal.note(line);
    shownLine = line;
  };
  return {
    snapshot: (snapshot) => {
      const state = stateOf(snapshot);
      const line = plainLine(snapshot, { batch, hint }, isCounted(snapshot, { finishedBefore, sinceMs }));
      if (line === undefined) return;
      last = { snapshot, line };
      if (state === shownState && snapshot.atMs - shownAtMs < LINE_EVERY_MS) return;
      shownState = state;
      shownAtMs = snapshot.atMs;
      show(last.line);
    },
    event: (event) => {
      const line = eventLine(event, terminal.isVerbose);
      if (line !== undefined) terminal.note(line);
    },
    done: () => {
      if (last !== undefined) show(last.line);
    },
  };
}

/** What is worth a line even though the view goes on; rows one by one only with `-v`. */
function eventLine(event: FollowEvent, isVerbose: boolean): string | undefined {
  switch (event.type) {
    case 'lost':
      return `${LOST_PLACES[event.lostPlace]} does not answer${event.lostWhy === undefined ? '' : ` (${event.lostWhy})`}; waiting for it`;
    case 'found':
      return 'it answers again';
    case 'paused':
    case 'resumed':
      return undefined;
    case 'batch': {
      const { type, id, status, verdict } = event.event;
      const name = plain(id ?? '', 120);
      if (type === 'ambiguous') return `${name}: the answer to its submit was lost; the credits check decides`;
      if (type === 'settled') return `${name}: the credits check says ${(verdict ?? 'undecided').replace('_', ' ')}`;
      return isVerbose && type === 'row_finished' ? `${name}: ${status ?? ''}` : undefined;
    }
  }
}
