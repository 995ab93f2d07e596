import { describe, expect, test } from 'vitest';
import type { BatchSource } from '../../src/cli/batch/batch-source.js';
import { type FollowEnd, type FollowEvent, followBatch, type Snapshot } from '../../src/cli/batch/follow.js';
import type { SemaphoreView } from '../../src/contract/semaphore-view.js';
import type { BatchEvent, BatchProgress } from '../../src/contract/workflows.js';
import { StoreError } from '../../src/store/port.js';

const COUNTS = { done: 0, failed: 0, lost_paid: 0, review: 0, cancelled: 0, skipped: 0, not_started: 0 };
const RESULT = { counts: { ...COUNTS, done: 2 }, creditsNano: 5, creditsUnknown: 0 };

function progress(more: Partial<BatchProgress> = {}): BatchProgress {
  return {
    phase: 'running',
    generation: 'g',
    rows: 2,
    counts: COUNTS,
    open: 1,
    blocked: null,
    creditsNano: 0,
    creditsUnknown: 0,
    events: [],
    startedAtMs: 0,
    ...more,
  };
}

function slots(pauses: SemaphoreView['pauses'] = []): SemaphoreView {
  return { planCap: 10, effectiveCap: 10, holders: [], waiting: 0, pauses, curbs: [], batches: [], ready: true };
}

const event = (seq: number): BatchEvent => ({ seq, atMs: seq, type: 'row_finished', id: `r${seq}`, status: 'done' });

/** What a follower sees at each look; the last one stays. */
interface Look {
  progress?: BatchProgress | Error;
  slots?: SemaphoreView;
  state?: 'running' | 'ended' | 'broken' | 'absent';
  /** Nobody answers, and the server takes the question. */
  hangs?: true;
  /** The home is another one. */
  isAway?: true;
}

async function follow(
  looks: Look[],
  options: {
    waitMs?: number | null;
    afterSeq?: number;
    abortAfterMs?: number;
    trouble?: string;
    reconnectError?: Error;
    isGone?: boolean;
    supplies?: boolean;
  } = {},
) {
  let nowMs = 0;
  let look: Look = {};
  let index = 0;
  let reconnects = 0;
  let supplied = 0;
  const abort = new AbortController();
  const source: BatchSource = {
    progress: async () => {
      look = looks[Math.min(index, looks.length - 1)] ?? {};
      index += 1;
      if (look.progress instanceof Error) throw look.progress;
      if (look.hangs) return new Promise(() => undefined);
      return look.progress ?? progress();
    },
    slots: async () => look.slots ?? slots(),
    balance: async () => 7,
    state: async () => {
      if (look.state === 'ended') return { state: 'ended', result: RESULT };
      if (look.state === 'broken') return { state: 'broken', word: 'terminated' };
      return { state: look.state ?? 'running' };
    },
    isGone: async () => options.isGone === true,
    reconnect: async () => {
      reconnects += 1;
      if (options.reconnectError) throw options.reconnectError;
    },
  };
  const events: FollowEvent[] = [];
  const snapshots: Snapshot[] = [];
  const end: FollowEnd = await followBatch({
    source,
    batch: 'b',
    afterSeq: options.afterSeq ?? 0,
    waitMs: options.waitMs ?? null,
    isHome: async () => look.isAway !== true,
    supplyAgain: options.supplies
      ? async () => {
          supplied += 1;
        }
      : undefined,
    trouble: async () => options.trouble,
    onSnapshot: (snapshot) => snapshots.push(snapshot),
    onEvent: (one) => events.push(one),
    signal: abort.signal,
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
      if (options.abortAfterMs !== undefined && nowMs >= options.abortAfterMs) abort.abort();
      if (nowMs > 3_600_000) throw new Error('followed for ever');
    },
  });
  return { end, events, snapshots, nowMs, reconnects, supplied };
}

const outage = Object.assign(new Error('14 UNAVAILABLE'), { name: 'ServiceError' });

test('each event is told once, those from before not at all, and the end is found', async () => {
  const { end, events } = await follow(
    [
      { progress: progress({ events: [event(1), event(2)] }) },
      { progress: progress({ events: [event(2), event(3)] }) },
      { progress: progress({ events: [event(3), event(4)], phase: 'ended' }), state: 'ended' },
    ],
    { afterSeq: 1 },
  );
  expect(end).toEqual({ end: 'ended', result: RESULT });
  expect(events.map((one) => (one.type === 'batch' ? one.event.seq : one.type))).toEqual([2, 3, 4]);
});

test('a workflow that was ended by someone is told apart from one that ended', async () => {
  expect((await follow([{ state: 'broken' }])).end).toEqual({ end: 'broken', word: 'terminated' });
  expect((await follow([{ state: 'absent' }])).end).toEqual({ end: 'broken', word: 'gone' });
});

describe('6-O1: a home that is not the one the batch began in', () => {
  const away: Look[] = Array.from({ length: 20 }, () => ({ progress: outage, isAway: true }));

  test('ends it before a connection could start an engine there', async () => {
    const { end, reconnects, supplied } = await follow([{}, ...away], { supplies: true });
    expect([end, reconnects, supplied]).toEqual([{ end: 'other_home' }, 0, 0]);
  });

  test('ends it when a server without the batch is found, and nothing is handed over', async () => {
    const { end, supplied } = await follow([{ state: 'absent', isAway: true }], { supplies: true });
    expect([end, supplied]).toEqual([{ end: 'other_home' }, 0]);
  });

  test('with the right home a wiped server is given the batch anew, and its events count from the start', async () => {
    const { end, supplied, events } = await follow(
      [
        ...Array.from({ length: 4 }, () => ({ progress: progress({ events: [event(7)] }) })),
        { state: 'absent' },
        { progress: progress({ events: [event(1)] }), state: 'running' },
        { state: 'ended', progress: progress({ phase: 'ended' }) },
      ],
      { supplies: true },
    );
    expect([end.end, supplied, events.length]).toEqual(['ended', 1, 2]);
  });
});

test('6-O5: an engine that was stopped by order is not started again: following ends', async () => {
  const reconnectError = Object.assign(new Error('stopped'), { name: 'EngineError', code: 'stopped_by_order' });
  const { end, reconnects } = await follow([{}, { progress: outage }], { reconnectError });
  expect([end, reconnects]).toEqual([{ end: 'stopped' }, 1]);
});

test('an engine whose server outlives it is noticed while a question hangs, and started again at once', async () => {
  const { end, reconnects, nowMs } = await follow([{}, { hangs: true }, { state: 'ended' }], { isGone: true });
  expect([end.end, reconnects, nowMs < 5_000]).toEqual(['ended', 1, true]);
});

test('6-O2: a full disk is named while nothing answers', async () => {
  const trouble = 'the disk of /data is full';
  const { snapshots } = await follow([{}, { progress: outage }], { trouble, abortAfterMs: 3_000 });
  expect(snapshots.at(-1)).toMatchObject({ lostWhy: trouble });
});

test('a home that cannot be read is told as such, in the words of its store (F46)', async () => {
  const away = new StoreError('SlowDown', 'cannot read the home: the server asks for fewer requests (SlowDown)');
  const { events, snapshots } = await follow([{}, { progress: away }], { abortAfterMs: 3_000 });
  const told = { lostPlace: 'home', lostWhy: away.message };
  expect(events).toContainEqual({ type: 'lost', ...told });
  expect(snapshots.at(-1)).toMatchObject(told);
});

test('detaching ends it with the last look', async () => {
  const { end } = await follow([{}], { abortAfterMs: 2_000 });
  expect(end).toMatchObject({ end: 'detached', last: { progress: { rows: 2 }, balanceNano: 7 } });
});

describe('outages', () => {
  test('are waited for, shown, and ended by a new connection', async () => {
    const away: Look[] = Array.from({ length: 20 }, () => ({ progress: outage }));
    const { end, events, snapshots, reconnects } = await follow([
      {},
      ...away,
      {},
      { state: 'ended', progress: progress({ phase: 'ended' }) },
    ]);
    expect(end.end).toBe('ended');
    expect(events.map(({ type }) => type)).toEqual(['lost', 'found']);
    expect(reconnects).toBe(1);
    expect(snapshots.some(({ lostSinceMs }) => lostSinceMs !== undefined)).toBe(true);
  });

  test('what is no outage is a defect', async () => {
    await expect(follow([{ progress: new TypeError('x is undefined') }])).rejects.toThrow('x is undefined');
  });
});

describe('pauses', () => {
  const pause = (reason: 'credits' | 'key' | 'records' | 'user', batch?: string): Look => ({
    slots: slots([{ reason, sinceMs: -999_999, ...(batch === undefined ? {} : { batch }) }]),
  });

  test.each(['credits', 'key', 'records'] as const)('%s longer than the wait ends it', async (reason) => {
    const { end, events, nowMs } = await follow([pause(reason)], { waitMs: 60_000 });
    expect(end).toMatchObject({ end: 'paused_too_long', reason });
    expect(events).toEqual([{ type: 'paused', reason, sinceMs: -999_999 }]);
    // However old the pause is, this command gives it the whole wait.
    expect(nowMs).toBe(60_000);
  });

  test('a person waits without end; a pause that ends is told', async () => {
    const paused = Array.from({ length: 500 }, () => pause('credits'));
    const { end, events } = await follow([...paused, {}, { state: 'ended', progress: progress({ phase: 'ended' }) }]);
    expect(end.end).toBe('ended');
    expect(events.map(({ type }) => type)).toEqual(['paused', 'resumed']);
  });

  test("a user's pause never ends it, and that of another batch is not shown", async () => {
    const { snapshots, end } = await follow([pause('user', 'other')], { waitMs: 1_000, abortAfterMs: 5_000 });
    expect(end.end).toBe('detached');
    expect(snapshots.at(-1)?.slots?.pauses).toEqual([]);
    const own = await follow([pause('user', 'b')], { waitMs: 1_000, abortAfterMs: 5_000 });
    expect(own.snapshots.at(-1)?.slots?.pauses).toHaveLength(1);
  });
});
