import type { GenerationFacts } from '../../home/rows-writer.js';
import { nameFlaw } from '../../manifest/ids.js';
import { nearestWord } from '../../manifest/suggest.js';
import type { HomeAccess } from '../access/home-access.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';

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
