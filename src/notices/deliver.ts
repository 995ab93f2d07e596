import type { NoticeTarget } from '../domain/notice.js';
import { type KeptNotice, markOf, type Notices } from '../home/notices.js';
import { type Sent, sendNotice } from './send.js';
import { createSends, patience } from './sends.js';

/** Sends what waits: in order per batch and target, at least once, again and again for a day. */
export interface Delivery {
  /** Sends what is due; one call at a time. What takes long goes on behind its back, and the next call sees to it. */
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
  /** How long one call waits for what is on its way. */
  patienceMs?: number;
}

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30 * 60_000;
const GIVEN_UP_MS = 24 * 3_600_000;
const DROPS_KEPT = 5;

/** So long one call waits for what is on its way; the next one goes on with what was not sent by then. */
const PATIENCE_MS = 5_000;

/** What waits of a batch for one target, oldest first. */
interface Line {
  place: string;
  batch: string;
  mark: string;
  mine: KeptNotice[];
  /** Undefined where no settings name it. */
  target: NoticeTarget | undefined;
}

export function createDelivery({ notices, targets, log, now, patienceMs = PATIENCE_MS }: DeliveryOptions): Delivery {
  /** By batch and target: how often in a row it failed, and when it is tried again. */
  const failed = new Map<string, { times: number; nextMs: number }>();
  /** By batch and target: no settings name the target, and that was logged. */
  const unnamed = new Set<string>();
  const sends = createSends();
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
        const lines: Line[] = [];
        for (const batch of await notices.batches()) lines.push(...(await linesOf(batch)));
        sends.keepOnly(new Set(lines.map(({ place }) => place)));
        await sendDue(lines);
        count = new Set(lines.flatMap(({ target, mine }) => (target ? mine.map(({ key }) => key) : []))).size;
      } catch (error) {
        isDirty = true;
        throw error;
      }
    },
  };

  async function linesOf(batch: string): Promise<Line[]> {
    const found = await notices.waiting(batch);
    const waiting = found.filter(({ waits }) => waits.length > 0);
    // Earlier builds kept notices of batches that name nobody.
    for (const one of found) if (one.waits.length === 0) await notices.remove(one);
    const known = new Map(targets().map((target) => [markOf(target.to), target]));
    const marks = new Set(waiting.flatMap(({ waits }) => waits.map(({ mark }) => mark)));
    return [...marks].map((mark) => {
      const mine = waiting.filter(({ waits }) => waits.some((one) => one.mark === mark));
      const target = known.get(mark);
      sayUnnamed(batch, mark, mine, target !== undefined);
      return { place: `${batch}/${mark}`, batch, mark, mine, target };
    });
  }

  /**
   * Until all that is due is sent, or some of it takes long. What a notice came to is written down here alone, one at a
   * time: a line is of one target, but its notices are files that others wait for too.
   */
  async function sendDue(lines: readonly Line[]): Promise<void> {
    const over = patience(patienceMs);
    for (;;) {
      let isMoving = false;
      for (const line of lines) isMoving = (await moveOn(line)) || isMoving;
      if (isMoving) continue;
      if (sends.count() === 0 || (await Promise.race([sends.next(), over])) === 'over') return;
    }
  }

  /** One step of a line; false where it has to wait. Those behind its first notice wait with it. */
  async function moveOn(line: Line): Promise<boolean> {
    const { place, mark, mine, target } = line;
    const ended = sends.take(place);
    if (ended !== undefined) {
      const [sentOne] = mine;
      if (sentOne?.key === ended.key) await settle(line, sentOne, ended.sent);
      return true;
    }
    const [one] = mine;
    if (one === undefined || isEnded || sends.isUnderWay(place)) return false;
    if (!isOld(one) && (target === undefined || (failed.get(place)?.nextMs ?? 0) > now())) return false;
    if (target !== undefined) return sends.begin({ place, mark, key: one.key }, () => sendNotice(target, one.notice));
    await settle(line, one, { sent: 'again', why: 'no settings name it' });
    return true;
  }

  async function settle({ place, batch, mark, mine }: Line, one: KeptNotice, sent: Sent): Promise<void> {
    if (sent.sent === 'again' && !isOld(one)) {
      const { times } = failed.get(place) ?? { times: 0 };
      failed.set(place, { times: times + 1, nextMs: now() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** times) });
      return;
    }
    failed.delete(place);
    if (sent.sent !== 'delivered') await drop(batch, one, mark, sent.why);
    await notices.settle(one, mark);
    mine.shift();
  }

  function isOld({ notice }: KeptNotice): boolean {
    return now() - notice.atMs > GIVEN_UP_MS;
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
