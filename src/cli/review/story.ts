import { SYNC_MAX_MS } from '../../activities/waits.js';
import type { Case, Evidence, Reading } from '../../books/check/evidence.js';
import { type KnownAttempt, mayComeBack, movementsOf } from '../../books/check/movements.js';
import { showsAllUntil } from '../../books/check/residual.js';
import { ownTimeMs } from '../../books/check/settle.js';
import { type Story, storyOf } from '../../books/check/story.js';
import { type Attempt, intentOf, isKnownUnbilled, standingOf } from '../../domain/attempt.js';
import { isAsync, type Kind, providerOf } from '../../domain/kind.js';
import { readLearned } from '../../store/learned.js';
import { adapterFor } from '../../vendors/index.js';
import type { HomeAccess } from '../access/home-access.js';
import type { CaseRow } from './case-row.js';

/** What the balance tells of a row's last attempt: the one place where the review reads the account's evidence. */
export interface CaseStory {
  story: Story;
  /** How many other attempts may have moved the balance between the two readings. */
  others: number;
  /** From when on two readings that agree can show that it was not billed. */
  dueAtMs: number;
}

/** Readings this long before the claim can be what the fall is counted from. */
const LOOK_BACK_MS = 600_000;
/** How late a refund can be (design 3, the credits check). */
const RHO_MS = 1_800_000;

/** Undefined for a row without a claim, and where the balance was not read before it or since. */
export async function caseStory(access: HomeAccess, found: CaseRow): Promise<CaseStory | undefined> {
  const last = found.attempts.at(-1);
  const claimedAtMs = last && intentOf(last)?.atMs;
  if (last === undefined || claimedAtMs === undefined) return undefined;
  const checkpoints = await access.home.checkpointsSince(claimedAtMs - LOOK_BACK_MS);
  const readings = checkpoints.map(({ askedMs, atMs, balanceNano }) => ({
    askedMs: askedMs ?? atMs,
    atMs,
    balanceNano,
  }));
  // What a verdict rests on stands before it; what came later moved the balance for other reasons.
  const verdictAtMs = last.states.findLast(({ state }) => state === 'verdict')?.atMs ?? Number.POSITIVE_INFINITY;
  const at = readings.findLast(({ atMs }) => atMs > claimedAtMs && atMs <= verdictAtMs);
  const fromMs = readings[0]?.atMs;
  if (at === undefined || fromMs === undefined || fromMs > claimedAtMs) return undefined;
  const subject = await caseOf(access, found, last);
  const others = await othersSince(access, fromMs, subject.name);
  const rhoMs = RHO_MS / access.config.timeScale;
  const evidence: Evidence = {
    ...{ nowMs: Date.now(), exclusive: access.config.account.exclusive, roundingNano: 0, apartMs: 0 },
    ...{ lambdaMs: await lambdaOf(access), rhoMs, readings, subject, equals: [], patienceMs: 0, giveUpAfterMs: 0 },
    rivals: others.cases,
    movements: others.known.flatMap((known) => movementsOf(known, rhoMs)),
  };
  const story = storyOf(evidence, at);
  if (story === undefined) return undefined;
  const touching = others.known.filter((known) => touches(known, evidence, story.base, at));
  return { story, others: touching.length, dueAtMs: ownTimeMs(evidence, subject) };
}

function touches(known: KnownAttempt, { lambdaMs, rhoMs }: Evidence, base: Reading, at: Reading): boolean {
  return movementsOf(known, rhoMs).some(
    ({ fromMs, toMs, afterMs }) =>
      fromMs <= at.atMs && (toMs === null || !showsAllUntil(base, toMs + afterMs, lambdaMs)),
  );
}

async function lambdaOf({ home, config }: HomeAccess): Promise<number> {
  const { latenessMs } = await readLearned(home);
  return Math.max(config.waits.lambdaSeconds * 1000, latenessMs) / config.timeScale;
}

/** The attempts of the account that may have moved the balance since a time: known ones, and other lost answers. */
async function othersSince(
  access: HomeAccess,
  sinceMs: number,
  own: string,
): Promise<{ known: KnownAttempt[]; cases: Case[] }> {
  const known: KnownAttempt[] = [];
  const cases: Case[] = [];
  const booked = new Set<string>([own]);
  for (const entry of await access.book.since(sinceMs)) {
    const name = nameOf(entry);
    if (name === own) continue;
    if (entry.end !== 'not_billed') booked.add(name);
    known.push({ ...entry, timing: adapterFor(entry.kind).charge });
  }
  for await (const open of access.ledger.open()) {
    const attempt = booked.has(nameOf(open)) ? undefined : await access.ledger.readAttempt(open);
    if (attempt === undefined || isKnownUnbilled(standingOf(attempt))) continue;
    if (standingOf(attempt) === 'open_case') cases.push(await caseOf(access, { ...open, row: open }, attempt));
    else known.push(openAttempt(open.kind, attempt));
  }
  return { known, cases };
}

function openAttempt(kind: Kind, attempt: Attempt): KnownAttempt {
  const intent = intentOf(attempt);
  return {
    timing: adapterFor(kind).charge,
    claimedAtMs: intent?.atMs ?? 0,
    createdAtMs: attempt.states.find(({ state }) => state === 'created')?.atMs,
    end: 'open',
    endedAtMs: null,
    ...(intent?.expected ?? { lo: 0, hi: null }),
  };
}

async function caseOf(
  { config, home }: HomeAccess,
  { batch, row }: { batch: string; row: { id: string; kind: Kind } },
  attempt: Attempt,
): Promise<Case> {
  const { thetaSeconds, renderMaxSeconds } = config.waits;
  const { chargedAtSubmit } = await readLearned(home);
  const { charge } = adapterFor(row.kind);
  const isAtSubmit = charge === 'at-submit' || chargedAtSubmit.some(({ kind }) => kind === row.kind);
  const renderMaxMs = (renderMaxSeconds[providerOf(row.kind)] ?? renderMaxSeconds.default ?? 3600) * 1000;
  const lastsMs = !isAsync(row.kind) ? SYNC_MAX_MS : isAtSubmit ? 0 : renderMaxMs;
  const lost = attempt.states.find(({ state }) => state === 'unknown' || state === 'created_lost');
  const claimedAtMs = attempt.states[0]?.atMs ?? 0;
  return {
    name: nameOf({ batch, id: row.id, n: attempt.n }),
    claimedAtMs,
    t0Ms: lost?.atMs ?? claimedAtMs,
    dueAfterMs: (thetaSeconds * 1000 + lastsMs) / config.timeScale,
    backAfterMs: mayComeBack(charge) ? RHO_MS / config.timeScale : null,
    price: intentOf(attempt)?.expected ?? null,
  };
}

function nameOf({ batch, id, n }: { batch: string; id: string; n: number }): string {
  return `${batch}/${id}/${n}`;
}
