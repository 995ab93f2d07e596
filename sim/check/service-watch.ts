import type { RowRecord } from '../../src/domain/outcome.js';
import { EPOCH_MS, type Sim } from '../engine/current.js';
import type { Scenario } from '../scenario.js';
import { costNano, isRunning, type Job, type Post, type ServiceWatcher, type SimService } from '../service.js';
import type { Disk } from '../worker/disk.js';
import { checkFeeders } from './chains.js';
import { checkSentCopy } from './copies.js';
import type { LedgerWatch } from './ledger-watch.js';

/** Checks against the service's truth at every request: I1, I2, I4, I12, I13, I14, I19. */

export interface ServiceWatch extends ServiceWatcher {
  cancelled(batch: string): void;
  /** A person has failed rows go on: a refusal ends nothing any more. */
  retried(): void;
  /** All requests until now. */
  requests(): number;
}

interface Watched {
  sim: Sim;
  scenario: Scenario;
  service: () => SimService;
  ledger: LedgerWatch;
  records: Map<string, { atMs: number; record: RowRecord }>;
  outputs: Disk;
  report: (rule: string, what: string) => void;
  trace: (who: string, what: string) => void;
}

const MINUTE_MS = 60_000;
/** How long the product may take to learn of a lower cap: its own reads are a minute apart. */
const PLAN_LEARNED_MS = 3 * MINUTE_MS;
/** A claim that was under way at the cancel may still go out, as long as it is fresh. */
const CANCEL_GRACE_MS = 16_000;
/** A worker that dies before it wrote what it heard asks again; so often in one life of a job. */
const POLL_AGAIN_MAX = 4;
/** The documents ask for 30 s at most; a connection of this model can take 9 s more. */
const LONGEST_GAP_MS = 39_000;

export function createServiceWatch(watched: Watched): ServiceWatch {
  const { sim, scenario, service, ledger, report, trace } = watched;
  const now = (): number => sim.scheduler.now();
  const cancels = new Map<string, number>();
  let retriedAtMs = 0;
  let requests: number[] = [];
  let requestsInAll = 0;

  return {
    cancelled: (batch) => cancels.set(batch, now()),
    retried() {
      retriedAtMs = now();
    },
    requests: () => requestsInAll,
    requested() {
      requestsInAll += 1;
      requests = requests.filter((atMs) => atMs > now() - MINUTE_MS);
      requests.push(now());
      const most = recentMost('rpm');
      if (requests.length > most) report('I12', `${requests.length} requests within a minute, ${most} allowed`);
    },
    posting(row) {
      const claims = ledger.attemptsOf(row).filter((a) => a.states[0]?.state.state === 'intent');
      const earlier = service().posts.filter((post) => post.row === row);
      if (claims.length <= earlier.length)
        report('I2', `${row}: POST ${earlier.length + 1} with ${claims.length} claims`);
      for (const post of earlier) for (const job of post.jobs) checkSecond(row, job, 'is sent again');
      checkRefused(row, earlier.at(-1));
      checkCancelled(row);
      checkFeeders(watched, row);
      checkSentCopy(watched, row, retriedAtMs > 0);
      return Math.max(0, ...claims.map((a) => a.n));
    },
    created(job) {
      trace(
        'service',
        `POST ${job.post.number} of ${job.row}.${job.post.attempt} makes job ${job.number}, ${job.kind} for ${job.record.expectedNano}`,
      );
      for (const other of service().jobs) {
        if (other.row === job.row && other !== job && other.post !== job.post)
          checkSecond(job.row, other, 'is created again');
      }
      checkCap(job);
    },
    polled: checkPoll,
  };

  function checkSecond(row: string, earlier: Job, what: string): void {
    const isOverUnbilled = !isRunning(earlier) && costNano(earlier) === 0;
    // What was settled by count is judged by count, at the end.
    if (!isOverUnbilled && ledger.groupOf(row, earlier.post.attempt) === undefined)
      report('I1', `${row} ${what} while job ${earlier.number} runs or is billed (${costNano(earlier)})`);
  }

  function checkRefused(row: string, last: Post | undefined): void {
    if (last?.status !== 400 || last.atMs < retriedAtMs) return;
    // A client that was killed before it wrote the answer down knows nothing of the refusal.
    const states = ledger.attemptsOf(row).find(({ n }) => n === last.attempt)?.states ?? [];
    if (states.some(({ state }) => state.state === 'unknown')) return;
    report('I14', `${row} is sent again after a 400`);
  }

  function checkCancelled(row: string): void {
    const atMs = cancels.get(row.split('/', 1)[0] ?? '');
    if (atMs !== undefined && now() > atMs + CANCEL_GRACE_MS)
      report('I19', `${row} is sent after its batch was cancelled`);
  }

  /** What was sent under a plan may be born late, under a smaller one. */
  function checkCap({ post }: Job): void {
    const running = service().jobs.filter(isRunning).length;
    const cap = Math.min(recentMost('concurrent', post.atMs), scenario.concurrency ?? Number.POSITIVE_INFINITY);
    if (running > cap) report('I4', `${running} jobs run, the cap is ${cap}`);
  }

  /** The highest cap that the product may still believe in. */
  function recentMost(what: 'rpm' | 'concurrent', sentMs = now()): number {
    const { capChanges } = service().world.accounts.get('default');
    const sinceMs = EPOCH_MS + sentMs - PLAN_LEARNED_MS;
    const before = capChanges.filter(({ atMs }) => atMs <= sinceMs).at(-1);
    const recent = capChanges.filter(({ atMs }) => atMs > sinceMs);
    return Math.max(...[...(before ? [before] : []), ...recent].map((caps) => caps[what]));
  }

  function checkPoll(job: Job): void {
    const baseMs = job.kind === 'vendor-b/avatar' ? 10_000 : 5_000;
    const [last, before] = [job.polls.at(-1), job.polls.at(-2)];
    const sinceMs = now() - job.post.atMs;
    if (job.polls.length === 1 && sinceMs < baseMs)
      report('I13', `job ${job.number} is polled ${sinceMs} ms after its submit`);
    // Each output that was refused as expired allows one question for a fresh URL.
    const overdue = job.polls.filter((poll) => poll.told === 'terminal').length - job.refusedFetches;
    if (overdue > POLL_AGAIN_MAX + 1) report('I13', `job ${job.number} is polled ${overdue} times after it ended`);
    checkGap(job, last, before);
  }

  function checkGap(job: Job, last: Job['polls'][number] | undefined, before: Job['polls'][number] | undefined): void {
    const { faults } = scenario;
    const isCalm = !['crash', 'stop', 'wipe', 'lostCompletion', 'writeFails', 'badKey'].some(
      (f) => faults[f as 'crash'] > 0,
    );
    if (!isCalm || !last || !before || before.told !== 'running') return;
    const gapMs = last.atMs - before.atMs;
    if (gapMs > LONGEST_GAP_MS) report('I13', `job ${job.number} is polled after a gap of ${Math.round(gapMs)} ms`);
    if (gapMs < 4_500) report('I13', `job ${job.number} is polled again after ${Math.round(gapMs)} ms`);
  }
}
