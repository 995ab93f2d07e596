import { batchOptions } from '../../home/batch-order.js';
import { foldName } from '../../manifest/names.js';
import type { BatchPlace, HomeAccess } from '../access/home-access.js';
import { UserError } from '../user-error.js';

/** A name is bound to the place of its outputs, and belongs to one batch. */
export async function refuseOtherOut({ session: { config }, access, batch }: BatchPlace): Promise<void> {
  const { home } = access;
  const bound = await home.readBatch(batch);
  await refuseAlike(home, batch, bound !== undefined);
  if (bound === undefined || bound.out === config.out) return;
  // A disk may have changed either: another --name would pay for all of it again.
  const isDoubtful = (await batchOptions.read(home, batch))?.out === config.out;
  const by = (key: string): string => (isDoubtful ? ` (${config.home}/${key})` : '');
  const way = isDoubtful ? 'set right the one that is wrong' : 'use that --out, or another --name';
  const [is, asked] = [by(home.keys.batch(batch)), by(home.keys.options(batch))];
  throw new UserError(`batch '${batch}' writes to ${bound.out}${is}, not to ${config.out}${asked}: ${way}`);
}

/**
 * Two names that differ only by case are one folder where the disk knows no case, with the records and outputs of both.
 * A batch that an earlier callsheet began under such a name goes on.
 */
async function refuseAlike(home: HomeAccess['home'], batch: string, isBound: boolean): Promise<void> {
  const names = await home.store.names(home.keys.batches);
  if (isBound && names.includes(batch)) return;
  const alike = names.filter((one) => one !== batch && foldName(one) === foldName(batch));
  for (const one of alike) {
    if ((await home.readBatch(one)) === undefined) continue;
    throw new UserError(
      `B12 batch '${batch}' differs from batch '${one}' only by case: use --name ${one} to go on with that one, or another --name`,
    );
  }
}
