import { homeMismatch, newClaimer, writeHomeMark } from '../../home/home-mark.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { nameFlaw } from '../../manifest/names.js';
import { nearestWord } from '../../manifest/suggest.js';
import { StoreError } from '../../store/port.js';
import { type HomeAccess, openPlace } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { createBatchSource } from './batch-source.js';

/** A batch that was run from this home before. */
export interface KnownBatch {
  batch: string;
  out: string;
  createdAtMs: number;
  generation: GenerationFacts;
}

/** Throws a UserError with a suggestion when the home does not know the batch. */
export async function knownBatch(session: Session, access: HomeAccess, batch: string): Promise<KnownBatch> {
  const bound = nameFlaw(batch) === undefined ? await access.home.readBatch(batch) : undefined;
  const current = bound === undefined ? undefined : await access.rows.currentGeneration(batch);
  const generation = current === undefined ? undefined : await access.rows.generation(batch, current);
  if (bound !== undefined && generation !== undefined) {
    return { batch, out: bound.out, createdAtMs: bound.createdAtMs, generation };
  }
  // A manifest that was checked and never run has a folder there too.
  const others = (await access.home.batches()).filter((one) => one !== batch);
  const nearest = nearestWord(batch, others);
  const hint = nearest === undefined ? '`callsheet list` shows those that are there' : `did you mean '${nearest}'?`;
  throw new UserError(
    `account '${session.config.account.name}' has no batch '${batch.slice(0, 80)}' in ${session.config.home}; ${hint}`,
    EXIT.usage,
  );
}

/** Before anything is submitted: is this home the one that the batch was run from before? */

/** `trusts`: a person said that this home is right. The engine is told so by the mark, and the other home's as well. */
export async function refuseOtherHome(
  session: Session,
  access: HomeAccess,
  batch: string,
  trusts: boolean,
): Promise<void> {
  const finding = await otherHomeText(access, batch);
  if (finding === undefined) return;
  if (!trusts) await askOrRefuse(session, finding);
  await markAsOwn(access, batch);
}

/** Marks the batch's outputs as run from this home. */
export async function markAsOwn(access: HomeAccess, batch: string): Promise<void> {
  const out = await outOf(access, batch);
  const mark = { batch, claimer: newClaimer(), atMs: Date.now() };
  await writeHomeMark(openPlace(access.config, out, 'shared'), access.home, mark);
}

/** Where the batch's outputs go. */
export async function outOf({ config, home }: HomeAccess, batch: string): Promise<string> {
  return (await home.readBatch(batch))?.out ?? config.out;
}

/** By the mark beside the outputs: how this home differs from the one that the batch was run from, or undefined. */
export async function otherHomeText(access: HomeAccess, batch: string): Promise<string | undefined> {
  const { home } = access.config;
  const out = await outOf(access, batch);
  try {
    const mismatch = await homeMismatch(openPlace(access.config, out, 'shared'), access.home, batch);
    if (mismatch === undefined) return undefined;
    const is = mismatch === 'older' ? 'an earlier state or a copy of the home' : 'not the home';
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
