import type { NoticeTarget } from '../domain/notice.js';
import { type KeptNotice, markOf, type Notices } from '../home/notices.js';
import { type Sent, sendNotice } from './send.js';

/** Sends what waits: in order per batch and target, at least once, again and again for a day. */
export interface Delivery {
  /** Sends what is due; one call at a time. */
  deliver(): Promise<void>;
  /** Something was added. */
  wake(): void;
  /** Notices that a target of the settings still waits for. */
  pending(): number;
  /** Nothing more is sent from here. */
  end(): void;
}

export interface DeliveryOptions {
  notices: Notices;
  /** Those that the settings name. */
  targets: () => readonly NoticeTarget[];
  log: { warn(facts: Record<string, unknown>, message: string): void };
  now: () => number;
}

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30 * 60_000;
const GIVEN_UP_MS = 24 * 3_600_000;
const DROPS_KEPT = 5;

export function createDelivery({ notices, targets, log, now }: DeliveryOptions): Delivery {
  /** By batch and target: how often in a row it failed, and when it is tried again. */
  const failed = new Map<string, { times: number; nextMs: number }>();
  /** By batch and target: no settings name the target, and that was logged. */
  const unnamed = new Set<string>();
  let count = 0;
  let isDirty = true;
  let isEnded = false;

  return {
    wake: () => {
      isDirty = true;
    },
    pending: () => count,
    end: () => {
      isEnded = true;
    },
    async deliver() {
      if (!isDirty && count === 0 && failed.size === 0) return;
      isDirty = false;
      try {
        let left = 0;
        for (const batch of await notices.batches()) left += await deliverBatch(batch);
        count = left;
      } catch (error) {
        isDirty = true;
        throw error;
      }
    },
  };

  async function deliverBatch(batch: string): Promise<number> {
    const found = await notices.waiting(batch);
    const waiting = found.filter(({ waits }) => waits.length > 0);
    // Earlier builds kept notices of batches that name nobody.
    for (const one of found) if (one.waits.length === 0) await notices.remove(one);
    const known = new Map(targets().map((target) => [markOf(target.to), target]));
    const marks = new Set(waiting.flatMap(({ waits }) => waits.map(({ mark }) => mark)));
    for (const mark of marks) {
      const mine = waiting.filter(({ waits }) => waits.some((one) => one.mark === mark));
      const target = known.get(mark);
      sayUnnamed(batch, mark, mine, target !== undefined);
      const send = target && ((one: KeptNotice) => sendNotice(target, one.notice));
      await deliverTo({ batch, mark, mine, send });
    }
    return waiting.filter(({ waits }) => waits.some(({ mark }) => known.has(mark))).length;
  }

  /** Until one has to wait: those behind it wait with it. */
  async function deliverTo(line: {
    batch: string;
    mark: string;
    mine: KeptNotice[];
    send: ((one: KeptNotice) => Promise<Sent>) | undefined;
  }): Promise<void> {
    const { batch, mark, mine, send } = line;
    const place = `${batch}/${mark}`;
    for (const one of mine) {
      if (isEnded) return;
      const isOld = now() - one.notice.atMs > GIVEN_UP_MS;
      if (!isOld && (send === undefined || (failed.get(place)?.nextMs ?? 0) > now())) return;
      const sent: Sent = send === undefined ? { sent: 'again', why: 'no settings name it' } : await send(one);
      if (sent.sent === 'again' && !isOld) {
        const { times } = failed.get(place) ?? { times: 0 };
        failed.set(place, { times: times + 1, nextMs: now() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** times) });
        return;
      }
      failed.delete(place);
      if (sent.sent !== 'delivered') await drop(batch, one, mark, sent.why);
      await notices.settle(one, mark);
    }
  }

  function sayUnnamed(batch: string, mark: string, mine: KeptNotice[], isNamed: boolean): void {
    const place = `${batch}/${mark}`;
    if (isNamed) unnamed.delete(place);
    if (isNamed || unnamed.has(place)) return;
    unnamed.add(place);
    const facts = { batch, target: labelOf(mine[0], mark), waiting: mine.length };
    log.warn(facts, 'notices wait for a target that no settings name: name it again with --notify');
  }

  async function drop(batch: string, one: KeptNotice, mark: string, why: string): Promise<void> {
    const label = labelOf(one, mark);
    const { type, id } = one.notice;
    log.warn({ batch, id, type, target: label, why }, 'a notice was dropped');
    const told = await notices.told(batch);
    const dropped = [...told.dropped, { label, type, why, atMs: now() }].slice(-DROPS_KEPT);
    await notices.writeTold(batch, { ...told, dropped });
  }
}

function labelOf(one: KeptNotice | undefined, mark: string): string {
  return one?.waits.find((target) => target.mark === mark)?.label ?? '';
}
