import { homeMismatch, newClaimer, writeHomeMark } from '../../home/home-mark.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { nameFlaw } from '../../manifest/names.js';
import { nearestWord } from '../../manifest/suggest.js';
import { StoreError } from '../../store/port.js';
import { type BatchPlace, type HomeAccess, openHomeAccess, openPlace } from '../access/home-access.js';
import { askPerson } from '../ask-person.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';

/** A batch that was run from this home before. */
export interface KnownBatch extends BatchPlace {
  out: string;
  createdAtMs: number;
  generation: GenerationFacts;
}

/** Throws a UserError with a suggestion when the home does not know the batch. */
export async function knownBatch(
  session: Session,
  batch: string,
  access = openHomeAccess(session.config),
): Promise<KnownBatch> {
  const known = nameFlaw(batch) === undefined ? await lookUpBatch({ session, access, batch }) : undefined;
  if (known !== undefined) return known;
  // A manifest that was checked and never run has a folder there too.
  const others = (await access.home.batches()).filter((one) => one !== batch);
  const nearest = nearestWord(batch, others);
  const hint = nearest === undefined ? '`callsheet list` shows those that are there' : `did you mean '${nearest}'?`;
  throw new UserError(
    `account '${session.config.account.name}' has no batch '${batch.slice(0, 80)}' in ${session.config.home}; ${hint}`,
    EXIT.usage,
  );
}

/** Every batch of the account that was run. */
export async function allBatches(session: Session, access = openHomeAccess(session.config)): Promise<KnownBatch[]> {
  const known: KnownBatch[] = [];
  for (const batch of await access.home.batches()) {
    const one = await lookUpBatch({ session, access, batch });
    if (one !== undefined) known.push(one);
  }
  return known;
}

/** Undefined for a batch that was never run. */
export async function lookUpBatch(at: BatchPlace): Promise<KnownBatch | undefined> {
  const bound = await at.access.home.readBatch(at.batch);
  const generation = bound && (await generationInForce(at.access, at.batch));
  return bound && generation && { ...at, out: bound.out, createdAtMs: bound.createdAtMs, generation };
}

/** The rows that the batch runs now; undefined where it was never run. */
export async function generationInForce(
  { rows }: Pick<HomeAccess, 'rows'>,
  batch: string,
): Promise<GenerationFacts | undefined> {
  const current = await rows.currentGeneration(batch);
  return current === undefined ? undefined : rows.generation(batch, current);
}

/**
 * Before anything is submitted: is this home the one that the batch was run from before? `trusts`: a person said that it
 * is right. The engine is told so by the mark, and the other home's as well.
 */
export async function refuseOtherHome(at: BatchPlace, trusts: boolean): Promise<void> {
  const finding = await otherHomeText(at.access, at.batch);
  if (finding === undefined) return;
  if (!trusts) await askOrRefuse(at.session, finding);
  await markAsOwn(at.access, at.batch);
}

/** Marks the batch's outputs as run from this home. */
export async function markAsOwn(access: HomeAccess, batch: string): Promise<void> {
  const out = await outOf(access, batch);
  const mark = { batch, claimer: newClaimer(), atMs: Date.now() };
  await writeHomeMark(openPlace(access.config, out, 'shared'), access.home, mark);
}

/** Where the batch's outputs go. */
async function outOf({ config, home }: HomeAccess, batch: string): Promise<string> {
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

export async function askOrRefuse({ cli: { io } }: Session, finding: string): Promise<void> {
  if (io.isInteractive && (await askPerson(io, `${finding}. Is this home the right one all the same?`))) return;
  const advice = 'bring the home back that it was run from, since a run from this one may pay again';
  throw new UserError(
    `${finding}: ${advice}; if this one is right, say --trust-home; nothing was submitted`,
    EXIT.configuration,
  );
}
