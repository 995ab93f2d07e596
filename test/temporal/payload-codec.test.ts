import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { expect, test } from 'vitest';
import { Secret } from '../../src/domain/secret.js';
import { createPayloadCodec, PayloadKeyError } from '../../src/temporal/payload-codec.js';

const newKey = () => new Secret(randomBytes(32).toString('base64'));
const [KEY, OTHER] = [newKey(), newKey()];
const VALUE = { row: 'a violet lighthouse', n: 1 };

const plain = () => defaultPayloadConverter.toPayload(VALUE);
const read = (payload: Payload | undefined) => payload && defaultPayloadConverter.fromPayload(payload);
const textOf = (payload: Payload) => Buffer.from(payload.data ?? []).toString('latin1');

function codecOf(keys: Record<string, Secret>) {
  const codec = createPayloadCodec(new Map(Object.entries(keys)));
  const one = (made: Payload[]): Payload => made[0] ?? {};
  return {
    encrypts: codec.encrypts,
    encode: async (payload: Payload) => one(await codec.encode([payload])),
    decode: async (payload: Payload) => one(await codec.decode([payload])),
  };
}

test('what is encoded is read again, with all that stood beside it', async () => {
  const codec = codecOf({ may: KEY });
  const made = await codec.encode({ ...plain(), metadata: { ...plain().metadata, messageType: Buffer.from('x.Y') } });
  expect(Object.entries(made.metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
    ['encoding', 'binary/encrypted'],
    ['encryption-key-id', 'may'],
  ]);
  expect(textOf(made)).not.toContain('lighthouse');
  expect(textOf(made)).not.toContain('json/plain');
  const again = await codec.decode(made);
  expect(read(again)).toEqual(VALUE);
  expect(Buffer.from(again.metadata?.messageType ?? []).toString()).toBe('x.Y');
});

test('a value without bytes is encrypted too, and nothing is encrypted twice alike', async () => {
  const codec = codecOf({ may: KEY });
  const empty = await codec.encode(defaultPayloadConverter.toPayload(undefined));
  expect(read(await codec.decode(empty))).toBeUndefined();
  const twice = [await codec.encode(plain()), await codec.encode(plain())];
  expect(new Set(twice.map((one) => textOf(one).slice(0, 12))).size).toBe(2);
});

test('the first key encrypts and all decrypt, so that keys can be replaced', async () => {
  const before = await codecOf({ may: KEY }).encode(plain());
  const added = codecOf({ may: KEY, june: OTHER });
  const turned = codecOf({ june: OTHER, may: KEY });
  expect(read(await turned.decode(before))).toEqual(VALUE);
  const after = await turned.encode(plain());
  expect(Buffer.from(after.metadata?.['encryption-key-id'] ?? []).toString()).toBe('june');
  expect(read(await added.decode(after))).toEqual(VALUE);
});

test('what was stored before there were keys passes as it is', async () => {
  const payload = plain();
  expect(await codecOf({ may: KEY }).decode(payload)).toBe(payload);
  const without = codecOf({});
  expect(without.encrypts).toBe(false);
  expect(await without.encode(payload)).toBe(payload);
  expect(await without.decode(payload)).toBe(payload);
});

test('an unknown key is named, with what to do', async () => {
  const made = await codecOf({ may: KEY }).encode(plain());
  await expect(codecOf({ june: OTHER }).decode(made)).rejects.toThrow(
    new PayloadKeyError(
      "what Temporal holds is encrypted with key 'may', which the file of temporal.keys does not hold: add it there",
    ),
  );
  await expect(codecOf({}).decode(made)).rejects.toThrow(
    "is encrypted with key 'may': name the file that has it with --temporal-keys or CALLSHEET_TEMPORAL_KEYS",
  );
});

test('another key of that id, another id, and changed or cut bytes are told and open nothing', async () => {
  const codec = codecOf({ may: KEY, june: KEY });
  const made = await codec.encode(plain());
  const broken = "what Temporal holds is encrypted with key 'may', and the key of that id does not open it";
  await expect(codecOf({ may: OTHER }).decode(made)).rejects.toThrow(broken);
  const renamed = { ...made, metadata: { ...made.metadata, 'encryption-key-id': Buffer.from('june') } };
  await expect(codec.decode(renamed)).rejects.toThrow(PayloadKeyError);
  const data = Buffer.from(made.data ?? []);
  for (const at of [0, 12, data.length - 1]) {
    const changed = Buffer.from(data);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await expect(codec.decode({ ...made, data: changed })).rejects.toThrow(broken);
  }
  for (const length of [0, 11, 12, 27, data.length - 1]) {
    await expect(codec.decode({ ...made, data: data.subarray(0, length) })).rejects.toThrow(broken);
  }
});
