import { homeMismatch } from '../../store/home-mark.js';
import { StoreError } from '../../store/port.js';
import { type HomeAccess, openPlace } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { createBatchSource } from './batch-source.js';

/** Before anything is submitted: is this home the one that the batch was run from before? */

/** `trusts`: a person said that this home is right. */
export async function refuseOtherHome(
  session: Session,
  access: HomeAccess,
  batch: string,
  trusts: boolean,
): Promise<void> {
  const finding = trusts ? undefined : await otherHomeText(session, access, batch);
  if (finding !== undefined) await askOrRefuse(session, finding);
}

/** By the mark beside the outputs: how this home differs from the one that the batch was run from, or undefined. */
export async function otherHomeText(session: Session, access: HomeAccess, batch: string): Promise<string | undefined> {
  const { home } = session.config;
  const out = (await access.home.readBatch(batch))?.out ?? session.config.out;
  try {
    const mismatch = await homeMismatch(openPlace(session.config, out, 'shared'), access.home, batch);
    if (mismatch === undefined) return undefined;
    const is = mismatch === 'older' ? 'an earlier state of the home' : 'not the home';
    return `${home} is ${is} that '${batch}' in ${out} was run from`;
  } catch (error) {
    // A place that cannot be read is refused by its own sentence.
    if (!(error instanceof StoreError)) throw error;
    return undefined;
  }
}

/** For a batch that the home does not know: a Temporal that knows it tells of another home. */
export async function refuseForgottenBatch(
  session: Session,
  access: HomeAccess,
  work: WorkAccess,
  { batch, trusts }: { batch: string; trusts: boolean },
): Promise<void> {
  if (trusts || (await access.home.readBatch(batch)) !== undefined) return;
  const source = createBatchSource({ access, batch, work, connect: async () => work });
  if ((await source.state()).state === 'absent') return;
  await askOrRefuse(session, `${session.config.home} knows nothing of '${batch}', and the Temporal server does`);
}

async function askOrRefuse(session: Session, finding: string): Promise<void> {
  const { io } = session.cli;
  if (io.isInteractive) {
    const { askPerson } = await import('../ask-person.js');
    if (await askPerson(io, `${finding}. Is this home the right one all the same?`)) return;
  }
  const advice = 'bring the home back that it was run from, since a run from this one may pay again';
  throw new UserError(
    `${finding}: ${advice}; if this one is right, say --trust-home; nothing was submitted`,
    EXIT.configuration,
  );
}
