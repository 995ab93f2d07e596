import { type Lessons, learn } from '../src/books/check/learn.js';
import { slackOf } from '../src/books/check/residual.js';
import { addMeasurement, cellsOf } from '../src/books/prices/measured-prices.js';

import { BALANCE_TOLERANCE_NANO, type CreditsNano } from '../src/domain/money.js';
import { intentOf, isKnownUnbilled, standingOf } from '../src/domain/standing.js';
import { adapterFor } from '../src/kinds/index.js';
import { attemptsSince, type NamedAttempt, rowOf } from './attempts-since.js';
import type { Dependencies } from './dependencies.js';
import { multipliersOf } from './discounts.js';
import { readingOf } from './evidence.js';
import { keepLearned, keepPrices, lambdaMs, rhoMs, roundingNano } from './learned.js';
import { reviseRow } from './revise.js';
import { resultState } from './row-credits.js';
import { auditVerdicts } from './verdicts.js';

/** What every new reading of the balance is good for beside the cases that asked for it. */

/** How far back single charges are looked for, unscaled ms. */
const LEARN_FROM_MS = 1_800_000;
/** Among more attempts than this no charge stands alone. */
const ATTEMPTS_MAX = 300;
/** A balance of at least six decimals is exact within so many times the tolerance. */
const EXACT_WITHIN = 3;

const underWay = new WeakMap<Dependencies, Promise<void>>();

/** Learns in the background: a reading must not be asked for again because its use took long. */
export function noteReading(deps: Dependencies): void {
  void useReadings(deps);
}

/** Learns from the readings up to now and compares verdicts with them; never fails. One at a time. */
export async function useReadings(deps: Dependencies): Promise<void> {
  const before = underWay.get(deps) ?? Promise.resolve();
  const work = before.then(() => learnAndAudit(deps));
  underWay.set(deps, work);
  await work;
}

async function learnAndAudit(deps: Dependencies): Promise<void> {
  try {
    await auditVerdicts(deps);
    await learnFromCharges(deps);
  } catch (error) {
    deps.log.warn({ error: String(error) }, 'a reading of the balance could not be used');
  }
}

async function learnFromCharges(deps: Dependencies): Promise<void> {
  const { timeScale } = deps.settings;
  const sinceMs = deps.now() - LEARN_FROM_MS / timeScale;
  const { known, cases } = await attemptsSince(deps, sinceMs);
  // While an answer is lost, no charge is known to stand alone.
  if (known.length === 0 || known.length > ATTEMPTS_MAX || cases.length > 0) return;
  const readings = (await deps.home.checkpointsSince(sinceMs)).flatMap(readingOf);
  const balances = readings.map(({ balanceNano }) => balanceNano);
  const [lambda, rho, rounding] = [await lambdaMs(deps), await rhoMs(deps), await roundingNano(deps, balances)];
  const lessons = learn({ lambdaMs: lambda, rhoMs: rho, roundingNano: rounding, readings }, known);
  const ends = known.filter((attempt) => attempt.known.end !== 'follow_up');
  const byName = new Map(ends.map((attempt) => [attempt.name, attempt]));
  const timings = lessons.timings.flatMap(({ name, timing }) => {
    const attempt = byName.get(name);
    return attempt?.model === undefined ? [] : [{ kind: attempt.kind, model: attempt.model, timing, name }];
  });
  await keepLearned(deps, { ...lessons, balances, timings });
  for (const measured of lessons.measured) {
    const attempt = byName.get(measured.name);
    if (attempt) await keepMeasurement(deps, attempt, measured, slackOf({ roundingNano: rounding }));
  }
  for (const { name, totalNano } of lessons.followedUp) {
    const attempt = byName.get(name);
    if (attempt) await keepFollowUp(deps, attempt, totalNano);
  }
}

/** A charge after the end belongs to its row, as far as nobody else can have spent it. */
async function keepFollowUp(deps: Dependencies, { batch, id, n }: NamedAttempt, totalNano: CreditsNano): Promise<void> {
  const record = await deps.records.readRecord(batch, id);
  if (record?.status !== 'done' || record.creditsNano === totalNano || !deps.settings.exclusive) return;
  const attempts = await deps.ledger.read(batch, id);
  if (!attempts.every((one) => one.n === n || isKnownUnbilled(standingOf(one)))) return;
  await reviseRow(deps, { batch, id }, { revision: 'measured', creditsNano: totalNano });
}

/** A measured price is kept once per attempt: when its row has a record that does not say so yet. */
async function keepMeasurement(
  deps: Dependencies,
  { batch, id, n, known }: NamedAttempt,
  { amountNano, atMs }: Lessons['measured'][number],
  slackNano: CreditsNano,
): Promise<void> {
  // What is read of a rounded balance says nothing about a price that is known to the digit.
  const isRough = slackNano > BALANCE_TOLERANCE_NANO * EXACT_WITHIN;
  if (isRough && known.lo === known.hi && Math.abs(known.lo - amountNano) <= slackNano) return;
  const record = await deps.records.readRecord(batch, id);
  if (record?.status !== 'done' || record.creditsBasis === 'measured') return;
  const attempts = await deps.ledger.read(batch, id);
  const attempt = attempts.find((one) => one.n === n);
  const isOnlyOne = attempts.every((one) => one === attempt || isKnownUnbilled(standingOf(one)));
  const intent = attempt && intentOf(attempt);
  const result = attempt && resultState(attempt);
  if (!intent || !result || intent.rowHash !== record.rowHash) return;
  const { kind } = intent;
  const row = await rowOf(deps, { batch, id, n }, intent);
  const multipliers = await multipliersOf(deps, adapterFor(kind), known.claimedAtMs, known.endedAtMs ?? atMs);
  const [multiplierPpb, ...others] = multipliers;
  if (multiplierPpb !== undefined && others.length === 0) {
    const { exclusive } = deps.settings;
    const exactness = isRough ? { withinNano: slackNano } : {};
    const cells = cellsOf(row, result.facts);
    const seen = { kind, cells, paidNano: amountNano, ...exactness, multiplierPpb, exclusive, atMs };
    await keepPrices(deps, (prices) => addMeasurement(prices, seen));
  }
  // Another amount than a known price is not believed of the row: somebody else's charge may be in it.
  const isExpected = known.lo <= amountNano && (known.hi === null || amountNano <= known.hi);
  if (deps.settings.exclusive && isOnlyOne && isExpected)
    await reviseRow(deps, { batch, id }, { revision: 'measured', creditsNano: amountNano });
}
