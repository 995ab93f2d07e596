import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { createLedger } from '../../src/home/ledger.js';
import { createRecords } from '../../src/home/row-records.js';
import { createFolderStore } from '../../src/store/folder.js';
import { streamOf, temporaryFolder } from '../store/support/temporary.js';
import { intent, wholeRecord } from './support/examples.js';
import { type DiskState, type Operation, recreate, statesAfterPowerCut } from './support/power-cut.js';

const recorder = vi.hoisted(() => ({
  log: [] as Operation[],
  isOn: false,
  files: new Map<string, number>(),
  next: 1,
}));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const { watchedDisk } = await import('../store/support/watched-disk.js');
  const fileOf = (path: string) => recorder.files.get(path) ?? 0;
  const note = (entry: Operation) => {
    if (recorder.isOn) recorder.log.push(entry);
  };
  const named = (path: string, file: number) => {
    recorder.files.set(path, file);
    return { path, file };
  };
  const told = {
    created: (path: string) => note({ op: 'create', ...named(path, recorder.next++) }),
    written: (path: string, bytes: Uint8Array) => note({ op: 'write', file: fileOf(path), bytes: Buffer.from(bytes) }),
    synced: (path: string, isNew: boolean) =>
      note(isNew ? { op: 'sync', file: fileOf(path) } : { op: 'syncFolder', path }),
    linked: (from: string, to: string) => note({ op: 'link', ...named(to, fileOf(from)) }),
    renamed: (from: string, to: string) => note({ op: 'rename', from, ...named(to, fileOf(from)) }),
    removed: (path: string) => note({ op: 'remove', path }),
    made: (path: string) => note({ op: 'mkdir', path }),
  };
  return { ...real, ...watchedDisk(real, told) };
});

// A power cut cannot be had in a test: the operations are recorded, and each state that a cut may leave is made anew.
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const note = (entry: Operation) => {
    if (recorder.isOn) recorder.log.push(entry);
  };
  const fileOf = (path: string) => recorder.files.get(path) ?? 0;
  return {
    ...real,
    open: async (...args: Parameters<typeof real.open>): Promise<FileHandle> => {
      const handle = await real.open(...args);
      if (!recorder.isOn) return handle;
      const path = String(args[0]);
      const isNew = args[1] === 'wx';
      if (isNew) {
        recorder.files.set(path, recorder.next++);
        note({ op: 'create', path, file: fileOf(path) });
      }
      const file = fileOf(path);
      const sync = handle.sync.bind(handle);
      const writeFile = handle.writeFile.bind(handle);
      handle.sync = async () => {
        await sync();
        note(isNew ? { op: 'sync', file } : { op: 'syncFolder', path });
      };
      const writev = handle.writev.bind(handle);
      handle.writev = async (pieces) => {
        const written = await writev(pieces);
        note({ op: 'write', file, bytes: Buffer.concat(pieces as readonly Uint8Array[]) });
        return written;
      };
      handle.writeFile = async (data: unknown) => {
        await writeFile(data as Uint8Array);
        note({ op: 'write', file, bytes: Buffer.from(data as Uint8Array) });
      };
      return handle;
    },
    link: async (from: string, to: string) => {
      await real.link(from, to);
      recorder.files.set(to, fileOf(from));
      note({ op: 'link', path: to, file: fileOf(from) });
    },
    rename: async (from: string, to: string) => {
      await real.rename(from, to);
      recorder.files.set(to, fileOf(from));
      note({ op: 'rename', path: to, from, file: fileOf(from) });
    },
    rm: async (path: string, options?: Parameters<typeof real.rm>[1]) => {
      await real.rm(path, options);
      note({ op: 'remove', path });
    },
    mkdir: async (path: string, options?: { recursive?: boolean }) => {
      const made = await real.mkdir(path, options);
      if (options?.recursive !== true) note({ op: 'mkdir', path });
      return made;
    },
  };
});

const REF = { batch: 'b', id: 'a', n: 1 };
const INTENT = intent();
const CREATED: AttemptState = { state: 'created', atMs: 5, handle: 'handle-1' };
const CLIP = Buffer.from('the whole clip, byte by byte');
const RECORD = wholeRecord('a');

/** Claim, answer, output and record of one row, with what the program was promised in between. */
async function runRow(root: string): Promise<void> {
  const store = createFolderStore(root);
  const ledger = createLedger(store, 'default');
  const promised = (what: string) => recorder.log.push({ op: 'promised', what });
  expect(await ledger.claim(REF, INTENT)).toBe(true);
  promised('claim');
  await ledger.append(REF, CREATED);
  promised('answer');
  const half = CLIP.length / 2;
  const source = streamOf(CLIP.subarray(0, half), CLIP.subarray(half));
  await store.putStream('b/media/a.mp4', source, { attemptName: 'a-1', ifExists: 'fail' });
  promised('output');
  await createRecords(store, 'default').writeRecord('b', RECORD);
  promised('record');
}

async function check(state: DiskState, root: string): Promise<void> {
  const store = createFolderStore(root);
  const ledger = createLedger(store, 'default');
  const has = (what: string) => state.promised.includes(what);
  const [attempt] = await ledger.read('b', 'a');
  // Nothing but what was written is ever believed, and what was promised is there.
  expect([INTENT, CREATED].slice(0, attempt?.states.length ?? 0)).toEqual(attempt?.states ?? []);
  if (has('claim')) expect(attempt?.states[0]).toEqual(INTENT);
  if (has('answer')) expect(attempt?.states[1]).toEqual(CREATED);
  expect(attempt?.torn ?? false).toBe(false);
  const output = await store.get('b/media/a.mp4');
  if (output !== undefined) expect(Buffer.from(output)).toEqual(CLIP);
  if (has('output')) expect(output).toBeDefined();
  const kept = await createRecords(store, 'default').readRecord('b', 'a');
  if (kept !== undefined) expect(kept).toEqual(RECORD);
  if (has('record')) expect(kept).toBeDefined();
  // A claim that was promised is never given to a second process: nobody sends again.
  if (has('claim')) expect(await ledger.claim(REF, INTENT)).toBe(false);
}

test('F47, I2, I7, I8: whatever a power cut leaves, no torn record is believed and nothing promised is gone', async () => {
  const root = realpathSync(temporaryFolder());
  recorder.isOn = true;
  await runRow(root);
  recorder.isOn = false;
  const log = recorder.log.filter((entry) => !('path' in entry) || entry.path.startsWith(root));
  expect(log.filter(({ op }) => op === 'sync').length).toBeGreaterThanOrEqual(4);
  const again = join(dirname(root), `${root.split('/').at(-1)}-again`);
  let states = 0;
  for (const state of statesAfterPowerCut(log, root)) {
    states += 1;
    mkdirSync(again, { recursive: true });
    recreate(state, again);
    await check(state, again).catch((error: unknown) => {
      throw new Error(`after ${state.cut} operations (${[...state.files.keys()].join(', ')})`, { cause: error });
    });
    rmSync(again, { recursive: true, force: true });
  }
  expect(states).toBeGreaterThan(100);
}, 300_000);

test('the model is strict: without the fsync of the file a torn record would be found', () => {
  const log: Operation[] = [
    { op: 'create', path: '/r/.tmp', file: 1 },
    { op: 'write', file: 1, bytes: Buffer.from('whole') },
    { op: 'rename', path: '/r/a', from: '/r/.tmp', file: 1 },
    { op: 'syncFolder', path: '/r' },
  ];
  const torn = [...statesAfterPowerCut(log, '/r')].filter(
    ({ files }) => files.has('a') && files.get('a')?.toString() !== 'whole',
  );
  expect(torn.length).toBeGreaterThan(0);
});
