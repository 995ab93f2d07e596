import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Requests } from '../../activities/dependencies.js';

/**
 * The plan's requests per minute, counted exactly at the send, for an account that this worker alone serves. When each
 * was sent stands in the data folder, so that a worker that was killed and its successor share one minute.
 */
export interface RequestWindow extends Requests {
  setRpm(rpm: number): void;
}

/** A minute and a second: what left a minute apart may arrive closer. */
const WINDOW_MS = 61_000;
/** Half of that second: what leaves later than its turn takes a new one. */
const LATE_MS = 500;
/** Kept free for what asks by itself: it is counted once it has asked. */
const RESERVE = 1;
/** The file is written anew when it has grown to so many lines. */
const LINES_MAX = 20_000;

export interface Clocks {
  /** Epoch ms. */
  now(): number;
  /** Never jumps, ms. */
  monotonic(): number;
}

export function createRequestWindow(file: string, { now, monotonic }: Clocks): RequestWindow {
  /** When requests left or will leave, by the steady clock, ascending. */
  let sent = readSent(file, { now, monotonic });
  let max = 1;
  let lines = LINES_MAX;
  let bytes = sizeOf(file);

  /** Commands of this machine that ask by themselves write into the file too. */
  function readOthers(): void {
    const size = sizeOf(file);
    if (size > bytes) sent = [...sent, ...readSent(file, { now, monotonic }, bytes)].sort((a, b) => a - b);
    bytes = size;
  }

  function nextMs(atMs: number): number {
    sent = sent.filter((one) => one > atMs - WINDOW_MS);
    const before = sent.at(-max);
    return before === undefined ? atMs : Math.max(atMs, before + WINDOW_MS);
  }

  function write(atMs: number): void {
    const wallMs = (one: number): string => `${Math.round(now() + one - monotonic())}\n`;
    if (lines < LINES_MAX) appendFileSync(file, wallMs(atMs));
    else {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, sent.map(wallMs).join(''), { mode: 0o600 });
      lines = sent.length;
    }
    lines += 1;
    bytes = sizeOf(file);
  }

  function count(atMs: number): void {
    readOthers();
    sent = [...sent, atMs].sort((a, b) => a - b);
    write(atMs);
  }

  return {
    setRpm(rpm) {
      max = Math.max(1, rpm - RESERVE);
    },
    async turn(patienceMs) {
      for (;;) {
        readOthers();
        const atMs = monotonic();
        const dueMs = nextMs(atMs);
        if (dueMs - atMs > patienceMs) return dueMs - atMs;
        count(dueMs);
        if (dueMs > atMs) await new Promise((resolve) => setTimeout(resolve, dueMs - atMs));
        // What left late meanwhile counts in this minute too.
        const others = sent.filter((one) => one > dueMs - WINDOW_MS && one <= dueMs).length - 1;
        // A process that stood still would send at once what was due all the while.
        if (others < max && monotonic() - dueMs <= LATE_MS) return 0;
        const own = sent.indexOf(dueMs);
        sent = sent.filter((_, i) => i !== own);
      }
    },
    leaves(turnMs) {
      const atMs = monotonic();
      if (atMs - turnMs > LATE_MS) count(atMs);
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What was sent in the last minute; a time ahead of the clock, which was set back, counts as now. */
function readSent(file: string, { now, monotonic }: Clocks, fromByte = 0): number[] {
  let text = '';
  try {
    text = readFileSync(file, 'latin1').slice(fromByte);
  } catch {
    // A fresh folder begins with an empty minute behind it.
  }
  const wallMs = now();
  const ages = text
    .split('\n')
    .filter((line) => /^\d+$/.test(line))
    .map((line) => Math.max(0, wallMs - Number(line)))
    .filter((age) => age < WINDOW_MS);
  return ages.map((age) => monotonic() - age).sort((a, b) => a - b);
}

/** Where another one may send for the account as well: the queue alone bounds the rate. */
export const UNCOUNTED: Requests = { turn: async () => 0, leaves: () => undefined };
