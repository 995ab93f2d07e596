import { readTrust, trust } from '../../home/verdicts.js';
import { openHomeAccess } from '../access/home-access.js';
import type { Session } from '../session.js';
import { userName } from './user-name.js';

/** Lets the credits check send rows again by itself, after a person has looked at the verdict that was contradicted. */
export async function trustAgain(session: Session, why: string | undefined): Promise<void> {
  const { terminal, config } = session;
  const account = config.account.name;
  const { home } = openHomeAccess(config);
  const now = await readTrust(home);
  const isOff = now?.trusted === false;
  if (isOff) await trust(home, { who: userName(), why: why ?? '', atMs: Date.now() });
  if (session.isJson) terminal.json({ schema: 1, account, trusted: true, changed: isOff, was: now ?? null });
  else if (!isOff) terminal.data(`the credits check of account '${account}' is trusted: nothing to change`);
  else terminal.data(`the credits check of account '${account}' is trusted again; it was not, since: ${now.why}`);
}
