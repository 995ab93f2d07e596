import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.js';
import { readPayloadKeys } from '../../src/config/payload-keys.js';

const folder = mkdtempSync(join(tmpdir(), 'callsheet-keys-'));
const file = join(folder, 'keys');
const newKey = (bytes = 32) => randomBytes(bytes).toString('base64');
const [KEY, OTHER] = [newKey(), newKey()];

function written(text: string, mode = 0o600): string {
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

test('keys by their ids, in the order of the file, which never print', async () => {
  const keys = await readPayloadKeys(written(`# the team's\n\n2026-06 ${KEY}\r\n  may.old\t${OTHER}  \n`));
  expect([...keys].map(([id, secret]) => [id, secret.reveal()])).toEqual([
    ['2026-06', KEY],
    ['may.old', OTHER],
  ]);
  expect(inspect(keys) + JSON.stringify([...keys])).not.toContain(KEY);
});

const A_LINE = 'an id, a blank and 32 bytes in base64 (`openssl rand -base64 32`)';

test.each([
  ['', `B56 the file of temporal.keys has no key: a line is ${A_LINE}`],
  ['# only words\n', `B56 the file of temporal.keys has no key: a line is ${A_LINE}`],
  [`${KEY}\n`, `B56 line 1 of the file of temporal.keys is no key: a line is ${A_LINE}`],
  [`${KEY} may\n`, `B56 line 1 of the file of temporal.keys is no key: a line is ${A_LINE}`],
  [`may ${KEY} x\n`, `B56 line 1 of the file of temporal.keys is no key: a line is ${A_LINE}`],
  [`\nmay ${newKey(16)}\n`, `B56 line 2 of the file of temporal.keys has no key of 32 bytes: a line is ${A_LINE}`],
  [`may ${newKey(33)}\n`, `B56 line 1 of the file of temporal.keys has no key of 32 bytes: a line is ${A_LINE}`],
  [`may ${KEY.slice(0, -1)}\n`, `B56 line 1 of the file of temporal.keys has no key of 32 bytes: a line is ${A_LINE}`],
  [
    `may ${KEY}\nmay ${OTHER}\n`,
    'B56 line 2 of the file of temporal.keys has the id of an earlier line: give each key an id of its own',
  ],
])('%j is refused without showing it', async (text, message) => {
  await expect(readPayloadKeys(written(text))).rejects.toThrow(
    new ConfigError([{ code: 'B56', message: message.slice(4) }]),
  );
});

test('files that others can read, that are absent or none', async () => {
  await expect(readPayloadKeys(written(`may ${KEY}`, 0o644))).rejects.toThrow(
    'the file of temporal.keys can be read by every user of this machine: chmod 600 it',
  );
  await expect(readPayloadKeys(join(folder, 'absent'))).rejects.toThrow(
    'the file of temporal.keys cannot be read: no such file',
  );
  await expect(readPayloadKeys(folder)).rejects.toThrow('temporal.keys must name a file');
});
