import { createHmac } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { AccountSettings } from '../contract/account.js';
import { defined } from '../domain/defined.js';
import type { Log } from '../domain/log.js';
import type { NoticeTarget } from '../domain/notice.js';
import { adopt } from './adopt-settings.js';

/**
 * What commands said of an account, for an engine that starts anew: a command that says nothing of it, as
 * `resume --all` after a reboot, must not change what open batches run with, nor who is told of batches.
 *
 * The targets are sealed by the API key, which stands in no file. The settings file of somebody else's project may name
 * a data folder that came with it, and a file there must not name commands to run or who is told.
 */

const targetSchema = z.object({ to: z.string(), secret: z.string().nullable() });
type KeptTarget = z.output<typeof targetSchema>;

const keptSchema = z.object({
  schema: z.literal(1),
  exclusive: z.boolean(),
  limits: z.object({ concurrency: z.number().nullable(), rpm: z.number().nullable() }),
  waits: z.object({
    lambdaMs: z.number(),
    thetaMs: z.number(),
    rhoMs: z.number(),
    syncMaxMs: z.number(),
    renderMaxMs: z.record(z.string(), z.number()),
  }),
  /** Absent where no command named a target. */
  notices: z.exactOptional(z.object({ targets: z.array(targetSchema), seal: z.string() })),
});
type KeptFile = z.output<typeof keptSchema>;

/** The latest that are kept of an account. */
const TARGETS_MAX = 100;

/**
 * What a command asks for, with what open batches were run with, and who was told of batches, before this engine. Says in
 * the log where the targets that are kept were kept with another key.
 */
export async function settingsAsBefore(
  folder: string | undefined,
  given: {
    asked: AccountSettings;
    /** Undefined where it cannot be read now. */
    key: string | undefined;
    /** Whether batches of the account run. */
    isOpen: () => Promise<boolean>;
    log: Pick<Log, 'warn'>;
  },
): Promise<AccountSettings> {
  const { asked, key, log } = given;
  const { account } = asked;
  const kept = folder === undefined ? undefined : readFileOf(folder, account);
  if (kept === undefined) return asked;
  const { exclusive, limits, waits, notices } = kept;
  const isSealed = notices === undefined || notices.seal === sealOf(account, notices.targets, key);
  if (!isSealed) log.warn({ account }, 'whom --notify named before is not told: that was kept with another API key');
  const targets = isSealed ? (notices?.targets ?? []) : [];
  const told = targets.map((target): NoticeTarget => ({ ...target, isOwn: true, isKept: true }));
  return adopt({ ...asked, exclusive, limits, waits, notices: told }, asked, await given.isOpen()).settings;
}

/** Throws where the folder cannot be written. Targets are kept only while their key can be read. */
export function keepSettings(folder: string, settings: AccountSettings, key: string | undefined): void {
  const { account, exclusive, limits, waits, notices = [] } = settings;
  const targets = notices
    .filter(({ isKept }) => isKept)
    .slice(0, TARGETS_MAX)
    .map(({ to, secret }) => ({ to, secret }));
  const seal = sealOf(account, targets, key);
  // Those that another key sealed stay until there are others: the key may come back.
  const told = seal === undefined || targets.length === 0 ? readFileOf(folder, account)?.notices : { targets, seal };
  const kept: KeptFile = { schema: 1, exclusive, limits, waits, ...defined({ notices: told }) };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = placeOf(folder, account);
  rmSync(`${place}.new`, { force: true });
  writeFileSync(`${place}.new`, JSON.stringify(kept), { mode: 0o600, flag: 'wx' });
  renameSync(`${place}.new`, place);
}

function readFileOf(folder: string, account: string): KeptFile | undefined {
  try {
    return keptSchema.parse(JSON.parse(readFileSync(placeOf(folder, account), 'utf8')));
  } catch {
    // As for an account that no command has handed over yet.
    return undefined;
  }
}

function sealOf(account: string, targets: readonly KeptTarget[], key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  const sealed = JSON.stringify([account, targets.map(({ to, secret }) => [to, secret])]);
  return createHmac('sha256', key).update(`callsheet kept targets ${sealed}`).digest('hex');
}

function placeOf(folder: string, account: string): string {
  return join(folder, `${account}.json`);
}
