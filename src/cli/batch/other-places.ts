import { isS3Address } from '../../domain/s3.js';
import type { HomeAccess } from '../access/home-access.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';

/** Refuses what the home knows to be wrong before anything is read or asked. */
export async function refuseOtherPlaces(
  session: Session,
  access: HomeAccess,
  { batch, isSharedFolder }: { batch: string; isSharedFolder: boolean },
  baseUrl: string,
): Promise<void> {
  const { config } = session;
  const { sharedAddress } = await import('../access/work-access.js');
  const folders = [config.out, config.home].filter((location) => !isS3Address(location));
  if (sharedAddress(session) !== undefined && !isSharedFolder && folders.length > 0) {
    throw new UserError(
      `with a shared Temporal every worker must reach ${folders.join(' and ')}: say --shared-folder when it does, or use a bucket`,
    );
  }
  const bound = await access.home.readBatch(batch);
  if (bound !== undefined && bound.out !== config.out) {
    throw new UserError(
      `batch '${batch}' writes to ${bound.out}, not to ${config.out}: use that --out, or another --name`,
    );
  }
  const known = await access.home.baseUrl();
  if (known === undefined || known === baseUrl) return;
  throw new UserError(
    `account '${config.account.name}' belongs to ${known}, not to ${baseUrl}: use another --account for that service`,
    EXIT.configuration,
  );
}
