// Writes to the store in argv[2] as argv[3] says, and prints the error and what is left as JSON.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLedger } from '../../../src/home/ledger.js';
import { createFolderStore } from '../../../src/store/folder.js';
import { StoreError } from '../../../src/store/port.js';
import { intent } from '../../home/support/examples.js';

const [, , root = '', action = ''] = process.argv;
const store = createFolderStore(root);

async function* megabytes(): AsyncIterable<Uint8Array> {
  for (let i = 0; i < 8; i++) yield Buffer.alloc(1 << 20, i);
}

async function act(): Promise<unknown> {
  switch (action) {
    case 'stream':
      return await store.putStream('m/a.mp4', megabytes(), { attemptName: 'a', ifExists: 'fail' });
    case 'fill-then-claim':
      fill(join(root, 'filler'));
      return await createLedger(store, 'default').claim({ batch: 'b', id: 'a', n: 1 }, intent());
    case 'probe-as-nobody':
      if (process.getuid?.() === 0) process.setuid?.(65_534);
      return await store.probe();
    default:
      return await store.probe();
  }
}

function fill(path: string): void {
  for (let size = 1 << 20; size > 0; size >>= 1) {
    try {
      writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // Full at this size: the next is half of it.
    }
  }
}

act().then(
  () => process.stdout.write(JSON.stringify({ message: 'written', code: '', left: readdirSync(root) })),
  (error: unknown) => {
    const code = error instanceof StoreError ? error.code : 'other';
    process.stdout.write(JSON.stringify({ message: String((error as Error).message), code, left: readdirSync(root) }));
  },
);
