import type { AccountSettings } from '../contract/account.js';
import type { NoticeTarget } from '../domain/notice.js';

/** What a second command's settings change of an account that is served already. Pure. */
export type Adopted =
  /** The account goes on with these, in place: nothing stops for it. */
  | { change: 'in place'; settings: AccountSettings }
  /** Places or connections are others: a new worker takes over at once, the old one ends what it has. */
  | { change: 'new worker'; settings: AccountSettings }
  /** The commands contradict each other on a fact of the account. */
  | { change: 'refused'; why: string };

/**
 * While batches are open, what a command does not say stays as it is: a limit that another command gave must not vanish
 * because this one has none.
 */
export function adoptSettings(known: AccountSettings, asked: AccountSettings, hasOpenBatches: boolean): Adopted {
  if (hasOpenBatches && known.exclusive !== asked.exclusive && !asked.isExclusiveUnsaid) {
    const [is, not] = known.exclusive ? ['exclusive', 'not'] : ['not exclusive', 'exclusive'];
    return {
      change: 'refused',
      why: `open batches of account '${known.account}' run with it ${is}, and this command says it is ${not}: set account.exclusive (--exclusive) alike, or wait until they have ended`,
    };
  }
  // Whom a command names is told of its batch; notices of others may still wait for their targets.
  const told = bothNotices(known.notices, asked.notices);
  const settings = { ...(hasOpenBatches ? keepUnsaid(known, asked) : asked), ...told };
  return { change: isSamePlace(known, settings) ? 'in place' : 'new worker', settings };
}

/** The settings to go on with; throws an Error `contradiction` where the commands contradict each other. */
export function adopt(
  known: AccountSettings,
  asked: AccountSettings,
  hasOpenBatches: boolean,
): Exclude<Adopted, { change: 'refused' }> {
  const adopted = adoptSettings(known, asked, hasOpenBatches);
  if (adopted.change === 'refused') throw Object.assign(new Error(adopted.why), { code: 'contradiction' });
  return adopted;
}

/** The settings that are known, and whom the command names. */
export function tellAlso(known: AccountSettings, asked: AccountSettings): AccountSettings {
  return { ...known, ...bothNotices(known.notices, asked.notices) };
}

function bothNotices(
  known: AccountSettings['notices'],
  asked: AccountSettings['notices'],
): Pick<AccountSettings, 'notices'> {
  if (known === undefined || asked === undefined) return known === undefined ? {} : { notices: known };
  const others = known.filter(({ to }) => asked.every((target) => target.to !== to));
  const named = asked.map((target) =>
    bothOf(
      known.find(({ to }) => to === target.to),
      target,
    ),
  );
  return { notices: [...named, ...others] };
}

/** What a command does not say of a target stays: its secret, and how the user named it. */
function bothOf(known: NoticeTarget | undefined, asked: NoticeTarget): NoticeTarget {
  if (known === undefined) return asked;
  return {
    to: asked.to,
    isOwn: known.isOwn || asked.isOwn,
    secret: asked.secret ?? known.secret,
    isKept: known.isKept || asked.isKept,
  };
}

function keepUnsaid(known: AccountSettings, asked: AccountSettings): AccountSettings {
  return {
    ...asked,
    exclusive: asked.isExclusiveUnsaid ? known.exclusive : asked.exclusive,
    limits: {
      concurrency: asked.limits.concurrency ?? known.limits.concurrency,
      rpm: asked.limits.rpm ?? known.limits.rpm,
    },
    waits: longerOf(known.waits, asked.waits),
    s3: asked.isS3Unsaid ? known.s3 : asked.s3,
  };
}

/** A lost answer of an open batch is never given up sooner than its own command allowed: the longer wait holds. */
function longerOf(a: AccountSettings['waits'], b: AccountSettings['waits']): AccountSettings['waits'] {
  const renderMaxMs = { ...a.renderMaxMs };
  const firstDefault = a.renderMaxMs.default ?? 0;
  const secondDefault = b.renderMaxMs.default ?? 0;
  for (const provider of [...Object.keys(a.renderMaxMs), ...Object.keys(b.renderMaxMs)]) {
    const longest = [a.renderMaxMs[provider] ?? firstDefault, b.renderMaxMs[provider] ?? secondDefault];
    renderMaxMs[provider] = Math.max(...longest);
  }
  return {
    lambdaMs: Math.max(a.lambdaMs, b.lambdaMs),
    thetaMs: Math.max(a.thetaMs, b.thetaMs),
    rhoMs: Math.max(a.rhoMs, b.rhoMs),
    syncMaxMs: Math.max(a.syncMaxMs, b.syncMaxMs),
    renderMaxMs,
  };
}

function isSamePlace(a: AccountSettings, b: AccountSettings): boolean {
  const places = ({ baseUrl, userAgent, home, timeScale, callbacks, s3 }: AccountSettings) =>
    JSON.stringify([baseUrl, userAgent, home, timeScale, callbacks, s3]);
  return places(a) === places(b);
}
