import { defined } from '../../domain/defined.js';
import { type AccountLimits, changeAccountLimits, readAccountLimits } from '../../home/account-limits.js';
import type { Home } from '../../home/home.js';
import type { BatchPlace } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import { commandHint } from '../open-session.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { createBatchSource, isRunning, unlessOutage } from './batch-source.js';

/**
 * `--rpm` of a command that runs a batch. Requests per minute are counted for the whole account: one batch alone can
 * bound them, and no longer than it runs.
 */

/** Throws a UserError where another batch runs that would be slowed down. */
export async function refuseSharedRpm({ session, access, batch }: BatchPlace, work: WorkAccess): Promise<void> {
  const rpm = givenRpm(session);
  const limits = await readAccountLimits(access.home);
  if (rpm === undefined || rpm >= (await rpmOf(session, access.home, limits))) return;
  const slots = await unlessOutage(createBatchSource({ access, batch }, work).slots());
  const other = slots?.batches?.find((one) => one.batch !== batch);
  if (other === undefined) return;
  throw new UserError(
    `--rpm ${rpm} would hold for '${other.batch}' too, which runs, since requests per minute are counted for the whole account: \`${commandHint(session, `limits --rpm ${rpm}`)}\` bounds all of it; nothing was submitted`,
  );
}

/** Throws a UserError where `--rpm` is said for several batches at once. */
export function refuseRpmOfAll(session: Session): void {
  const rpm = givenRpm(session);
  if (rpm === undefined) return;
  throw new UserError(
    `--rpm belongs to one batch: \`${commandHint(session, `limits --rpm ${rpm}`)}\` bounds the whole account; nothing was submitted`,
  );
}

/** What the command says holds until the batch ends; without a word of it a batch that is begun anew has no limit. */
export async function orderRpm(at: BatchPlace, work: WorkAccess, isBegun: boolean): Promise<void> {
  const { session, batch } = at;
  const { home } = at.access;
  const { ofBatch, ...limits } = await readAccountLimits(home);
  const isOthers = ofBatch !== undefined && ofBatch.batch !== batch;
  if (isOthers && (await isRunning(home.account, ofBatch.batch, work))) return;
  const rpm = givenRpm(session);
  if (rpm === undefined && (ofBatch === undefined || (!isOthers && !isBegun))) return;
  const isLower = rpm !== undefined && rpm < (await rpmOf(session, home, limits));
  const own = isLower ? { batch, rpm } : undefined;
  await changeAccountLimits(home, ({ ofBatch: _, ...now }) => ({ ...now, ...defined({ ofBatch: own }) }));
  if (isLower) session.terminal.note(`requests  at most ${rpm} a minute for the whole account until '${batch}' ends`);
}

function givenRpm({ config, origins }: Session): number | undefined {
  return origins.get('limits.rpm')?.name === 'flag' ? (config.limits.rpm ?? undefined) : undefined;
}

/** What holds for the account without any batch's own. */
async function rpmOf({ config }: Session, home: Home, { rpm }: Pick<AccountLimits, 'rpm'>): Promise<number> {
  const known = [(await home.latestCheckpoint())?.rpm, rpm ?? config.limits.accountRpm];
  return Math.min(...known.filter((one) => one != null));
}
