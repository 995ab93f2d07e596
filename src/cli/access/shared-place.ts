import { readPayloadKeys } from '../../config/payload-keys.js';
import { defined } from '../../domain/defined.js';
import { type Secret, safeText } from '../../domain/secret.js';
import { createPayloadCodec } from '../../temporal/payload-codec.js';
import { configuredTemporalAddress, sendsTemporalKey } from '../../temporal/profile.js';
import type { TemporalOptions } from '../../temporal.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';

/** How a shared Temporal is reached, and with what it is encrypted; apart from `work-place.ts`, since the codec is large. */

/**
 * What the settings say of a shared Temporal; the SDK's own variables say the rest. Throws `ConfigError` for its keys, and a
 * UserError (exit 4) where the key of the user's Temporal would go to an address that is not the user's word.
 */
export async function givenPlace(session: Session): Promise<Pick<TemporalOptions, 'address' | 'namespace' | 'codec'>> {
  const { address, namespace } = session.config.temporal;
  if (address !== null) refuseStrangeAddress(session, address);
  const codec = createPayloadCodec(await payloadKeys(session));
  return { codec, ...defined({ address: address ?? undefined, namespace: namespace ?? undefined }) };
}

/** A settings file of the working folder may have come with somebody else's project; `--config` is the user's word. */
function refuseStrangeAddress({ origins, configFile }: Session, address: string): void {
  const found = origins.get('temporal.address');
  if (found?.name !== 'config file' || configFile !== undefined || !sendsTemporalKey()) return;
  if (configuredTemporalAddress() === address) return;
  throw new UserError(
    `only ${found.where} names the Temporal ${safeText(address, 80)}, and your Temporal key would go there: say it with TEMPORAL_ADDRESS or --temporal-address; the key was not sent`,
    EXIT.configuration,
  );
}

/** By their ids, the one that encrypts first; none where the settings name no file. */
async function payloadKeys({ config: { temporal } }: Session): Promise<ReadonlyMap<string, Secret>> {
  return temporal.keys === null ? new Map() : readPayloadKeys(temporal.keys);
}

/** For `doctor`: with which key what is sent is encrypted; nothing without keys. Throws `ConfigError`. */
export async function encryptionText(session: Session): Promise<string> {
  const [first] = (await payloadKeys(session)).keys();
  return first === undefined ? '' : `; what it holds is encrypted with key '${first}'`;
}
