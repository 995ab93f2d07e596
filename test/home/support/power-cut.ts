import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** A log of file operations, and every state that a power cut may leave of it. */

export type Operation =
  | { op: 'create'; path: string; file: number }
  | { op: 'write'; file: number; bytes: Buffer }
  | { op: 'sync'; file: number }
  | { op: 'link'; path: string; file: number }
  | { op: 'rename'; path: string; from: string; file: number }
  | { op: 'remove'; path: string }
  | { op: 'mkdir'; path: string }
  | { op: 'syncFolder'; path: string }
  /** The program was told that something is durable. */
  | { op: 'promised'; what: string };

/** What the disk may hold of bytes that were written and not fsynced. */
const UNSYNCED = ['none', 'half', 'zeros', 'all'] as const;

export interface DiskState {
  /** After so many operations. */
  cut: number;
  promised: string[];
  folders: string[];
  files: Map<string, Buffer>;
}

type EntryOperation = Extract<Operation, { path: string }>;

/** Every different state: each cut, with names and bytes that were not fsynced there, gone or half there. */
export function* statesAfterPowerCut(log: readonly Operation[], root: string): Iterable<DiskState> {
  const seen = new Set<string>();
  for (let cut = 0; cut <= log.length; cut++) {
    const done = log.slice(0, cut);
    const promised = done.flatMap((entry) => (entry.op === 'promised' ? [entry.what] : []));
    const pending = pendingOf(done);
    for (const kept of subsetsOf(pending)) {
      for (const unsynced of UNSYNCED) {
        const state = stateOf(done, new Set(pending.filter((one) => !kept.has(one))), unsynced, root);
        const key = JSON.stringify([promised, state.folders, [...state.files].map(([p, b]) => [p, b.toString('hex')])]);
        if (seen.has(key)) continue;
        seen.add(key);
        yield { cut, promised, ...state };
      }
    }
  }
}

/** Writes the state into an empty folder. */
export function recreate(state: DiskState, folder: string): void {
  for (const path of state.folders) mkdirSync(join(folder, path), { recursive: true });
  for (const [path, bytes] of state.files) writeFileSync(join(folder, path), bytes);
}

/** Changes of names whose folder was not fsynced afterwards. */
function pendingOf(done: readonly Operation[]): EntryOperation[] {
  return done.flatMap((entry, i) => {
    if (!('path' in entry) || entry.op === 'syncFolder') return [];
    const folder = dirname(entry.path);
    const isDurable = done.slice(i + 1).some((later) => later.op === 'syncFolder' && later.path === folder);
    return isDurable ? [] : [entry];
  });
}

/** All of them up to 5; of more: none, all, each alone, each missing, and every beginning. */
function subsetsOf(pending: readonly EntryOperation[]): Set<EntryOperation>[] {
  if (pending.length <= 5) {
    return Array.from({ length: 2 ** pending.length }, (_, bits) => new Set(pending.filter((_, i) => bits & (1 << i))));
  }
  return [
    new Set<EntryOperation>(),
    ...pending.map((one) => new Set([one])),
    ...pending.map((one) => new Set(pending.filter((other) => other !== one))),
    ...pending.map((_, i) => new Set(pending.slice(0, i + 1))),
  ];
}

function stateOf(
  done: readonly Operation[],
  lost: ReadonlySet<Operation>,
  unsynced: (typeof UNSYNCED)[number],
  root: string,
): Pick<DiskState, 'folders' | 'files'> {
  const names = new Map<string, number>();
  const folders = new Set([root]);
  for (const entry of done) {
    if (lost.has(entry)) continue;
    if (entry.op === 'mkdir') folders.add(entry.path);
    if (entry.op === 'create' || entry.op === 'link' || entry.op === 'rename') names.set(entry.path, entry.file);
    if (entry.op === 'rename') names.delete(entry.from);
    if (entry.op === 'remove') names.delete(entry.path);
  }
  const isReachable = (path: string): boolean => path === root || (folders.has(path) && isReachable(dirname(path)));
  const inside = (path: string) => relative(root, path).split(sep).join('/');
  return {
    folders: [...folders].filter((path) => path !== root && isReachable(path)).map(inside),
    files: new Map(
      [...names]
        .filter(([path]) => isReachable(dirname(path)))
        .map(([path, file]) => [inside(path), contentOf(done, file, unsynced)]),
    ),
  };
}

function contentOf(done: readonly Operation[], file: number, unsynced: (typeof UNSYNCED)[number]): Buffer {
  const lastSync = done.findLastIndex((entry) => entry.op === 'sync' && entry.file === file);
  const bytesOf = (part: readonly Operation[]) =>
    Buffer.concat(part.flatMap((entry) => (entry.op === 'write' && entry.file === file ? [entry.bytes] : [])));
  const safe = bytesOf(done.slice(0, lastSync + 1));
  const rest = bytesOf(done.slice(lastSync + 1));
  switch (unsynced) {
    case 'none':
      return safe;
    case 'half':
      return Buffer.concat([safe, rest.subarray(0, Math.ceil(rest.length / 2))]);
    case 'zeros':
      return Buffer.concat([safe, Buffer.alloc(rest.length)]);
    case 'all':
      return Buffer.concat([safe, rest]);
  }
}
