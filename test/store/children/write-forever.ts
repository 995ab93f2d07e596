// Writes files of every sort and ledger records without end, until it is killed.

import { createLedger } from '../../../src/home/ledger.js';
import { createFolderStore } from '../../../src/store/folder.js';
import { intent, states } from '../../home/support/examples.js';

const [, , root = '', round = '0'] = process.argv;
const store = createFolderStore(root);
const ledger = createLedger(store, 'default');

/** Says its own length first, then one byte over and over. */
function file(size: number, fill: string): Buffer {
  return Buffer.from(`${size}\n`.padEnd(size, fill));
}

async function* pieces(whole: Buffer): AsyncIterable<Uint8Array> {
  for (let at = 0; at < whole.length; at += 65_536) yield whole.subarray(at, at + 65_536);
}

async function writeForever(): Promise<never> {
  for (let i = 1; ; i++) {
    const fill = String.fromCharCode(97 + (i % 26));
    const media = file(3_000_000, fill);
    const ref = { batch: 'b', id: `row-${round}`, n: i };
    await Promise.all([
      store.put('files/put/replaced', file(200_000 + i, fill)),
      store.putIfAbsent(`files/once/${round}-${i}`, file(50_000, fill)),
      store.putStream(`files/media/${round}-${i}`, pieces(media), { attemptName: `r${i}`, ifExists: 'fail' }),
      ledger
        .claim(ref, intent())
        .then(() => ledger.append(ref, states.created))
        .then(() => (i % 2 === 0 ? ledger.close(ref) : undefined)),
    ]);
    if (i === 1) process.stdout.write('writing\n');
  }
}

void writeForever();
