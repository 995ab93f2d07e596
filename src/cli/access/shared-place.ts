import { readPayloadKeys } from '../../config/payload-keys.js';
import { defined } from '../../domain/defined.js';
import type { Secret } from '../../domain/secret.js';
import { createPayloadCodec } from '../../temporal/payload-codec.js';
import type { TemporalOptions } from '../../temporal.js';
import type { Session } from '../session.js';

/** How a shared Temporal is reached, and with what it is encrypted; apart from `work-place.ts`, since the codec is large. */

/** What the settings say of a shared Temporal; the SDK's own variables say the rest. Throws `ConfigError` for its keys. */
export async function givenPlace(session: Session): Promise<Pick<TemporalOptions, 'address' | 'namespace' | 'codec'>> {
  const { address, namespace } = session.config.temporal;
  const codec = createPayloadCodec(await payloadKeys(session));
  return { codec, ...defined({ address: address ?? undefined, namespace: namespace ?? undefined }) };
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
