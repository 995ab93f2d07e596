import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { type Secret, safeText } from '../domain/secret.js';

/** Encrypts all that a Temporal server holds of arguments, results, messages, memos and failures. */
export interface KeyedCodec extends PayloadCodec {
  /** False without keys: then it only says so where something encrypted is met. */
  readonly encrypts: boolean;
}

/** What the server holds cannot be read with the keys that were given. */
export class PayloadKeyError extends Error {
  override readonly name = 'PayloadKeyError';
}

const { Payload: Proto } = proto.temporal.api.common.v1;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Names and layout (nonce, ciphertext, tag) are those of Temporal's own samples. */
const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';

/**
 * A codec of AES-256-GCM over whole payloads. `keys` are 32 bytes in base64 by their ids: the first encrypts, all
 * decrypt. What is not encrypted passes as it is: it was stored before there were keys. Decoding throws
 * `PayloadKeyError`.
 */
export function createPayloadCodec(keys: ReadonlyMap<string, Secret>): KeyedCodec {
  const known = new Map([...keys].map(([id, secret]) => [id, createSecretKey(secret.reveal(), 'base64')]));
  const [first] = known;
  return {
    encrypts: first !== undefined,
    encode: async (payloads) => (first === undefined ? payloads : payloads.map((one) => encrypted(one, ...first))),
    decode: async (payloads) => payloads.map((one) => (isEncrypted(one) ? decrypted(one, known) : one)),
  };
}

function isEncrypted({ metadata }: Payload): boolean {
  return metadata?.encoding !== undefined && Buffer.from(metadata.encoding).toString() === ENCODING;
}

function encrypted(payload: Payload, id: string, key: KeyObject): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(id));
  const text = [cipher.update(Proto.encode(payload).finish()), cipher.final()];
  return {
    metadata: { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(id) },
    data: Buffer.concat([nonce, ...text, cipher.getAuthTag()]),
  };
}

function decrypted({ metadata, data }: Payload, keys: ReadonlyMap<string, KeyObject>): Payload {
  const id = Buffer.from(metadata?.[KEY_ID] ?? []).toString();
  const named = `what Temporal holds is encrypted with key '${safeText(id, 80)}'`;
  const key = keys.get(id);
  if (key === undefined) {
    throw new PayloadKeyError(
      keys.size === 0
        ? `${named}: name the file that has it with --temporal-keys or CALLSHEET_TEMPORAL_KEYS`
        : `${named}, which the file of temporal.keys does not hold: add it there`,
    );
  }
  const bytes = Buffer.from(data ?? []);
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(id));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const plain = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    // Bytes of their own: what goes into the sandbox is copied with all of the buffer that it is a part of.
    return Proto.decode(new Uint8Array(Buffer.concat(plain)));
  } catch {
    throw new PayloadKeyError(
      `${named}, and the key of that id does not open it: the file of temporal.keys has another one, or it was changed`,
    );
  }
}
