import { isS3Address } from '../../domain/s3.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { homeMismatch, newClaimer, writeHomeMark } from '../../home/home-mark.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { nameFlaw } from '../../manifest/names.js';
import { nearestWord } from '../../manifest/suggest.js';
import { proveBucket } from '../../store/open-store.js';
import { StoreError } from '../../store/port.js';
import { type BatchPlace, type HomeAccess, openHomeAccess, openPlace, refusePlace } from '../access/home-access.js';
import { sharedAddress } from '../access/work-place.js';
import { askPerson } from '../ask-person.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { refuseOtherOut } from './bound-name.js';

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
export async function refuseOtherHome(at: BatchPlace, trusts = false): Promise<void> {
  const finding = await otherHomeText(at.access, at.batch);
  if (finding === undefined) return;
  if (!trusts) await askOrRefuse(at.session, finding);
  await markAsOwn(at.access, at.batch);
}

/** Before an order to a batch that `run` began: the home is the right one, and says what was ordered before. */
export async function refuseStrangeHome(at: BatchPlace, trusts = false): Promise<void> {
  await refuseDamagedOrder(at);
  await refuseOtherHome(at, trusts);
}

/** Only a new `run` says again what may be spent; any other order would go on from what nobody can read. */
export async function refuseDamagedOrder({ access, batch }: Pick<BatchPlace, 'access' | 'batch'>): Promise<void> {
  const order = await readBatchOrder(access.home, batch);
  if (order?.isDamaged) throw new UserError(`${damagedOrderText(batch)}; nothing was changed`);
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

/** What to do about a batch whose order a disk has damaged; until then it counts as paused. */
export function damagedOrderText(batch: string): string {
  return `what was ordered of '${batch}' cannot be read: give the \`callsheet run …\` that started it again, with all its flags`;
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

/** Refuses what the home knows to be wrong before anything is read or asked. */
export async function refuseOtherPlaces(
  { session, access, batch }: BatchPlace,
  baseUrl: string,
  isSharedFolder: boolean,
): Promise<void> {
  const { config } = session;
  const folders = [config.out, config.home].filter((location) => !isS3Address(location));
  if (sharedAddress(session) !== undefined && !isSharedFolder && folders.length > 0) {
    throw new UserError(
      `with a shared Temporal every worker must reach ${folders.join(' and ')}: say --shared-folder when it does, or use a bucket`,
    );
  }
  await refuseOtherOut({ session, access, batch });
  const known = await access.home.baseUrl();
  if (known === undefined || known === baseUrl) return;
  throw new UserError(
    `account '${config.account.name}' belongs to ${known}, not to ${baseUrl}: use another --account for that service`,
    EXIT.configuration,
  );
}

/** Less room than this is none: databases and logs stop before the last byte. */
const FULL_BELOW_BYTES = 4_000_000;

/** Names the folder whose disk is full, if any: an engine without room does not answer. `out`: where outputs go. */
export async function fullDisk({ config }: Session, out = config.out): Promise<string | undefined> {
  for (const place of new Set([config.data, config.home, out])) {
    if (isS3Address(place)) continue;
    const free = await openPlace(config, place, 'private').freeBytes();
    if (free !== undefined && free < FULL_BELOW_BYTES) {
      return `the disk of ${place} is full: make room and it goes on by itself`;
    }
  }
  return undefined;
}

/** A home in a bucket whose server lets two writers have one claim would pay twice: it is not used. */
export async function proveHome({ config, home }: HomeAccess): Promise<void> {
  await proveBucket(home.store).catch((error) => refusePlace(config.home, error));
}
