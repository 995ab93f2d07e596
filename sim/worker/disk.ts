import { byCodeUnit } from '../../src/store/port.js';

/** Files in memory with their folders, shared by every process of a seed. */
export interface Disk {
  get(key: string): Uint8Array | undefined;
  /** Writes or replaces; the watcher sees it before it stands. */
  write(key: string, bytes: Uint8Array): void;
  remove(key: string): void;
  /** Names directly below a folder, in code-unit order. */
  names(folder: string): string[];
  /** Every key below a folder, in code-unit order. */
  below(folder: string): string[];
}

export interface DiskWatcher {
  onWrite(key: string, bytes: Uint8Array, before: Uint8Array | undefined): void;
  onRemove(key: string): void;
}

export function createDisk(watcher: DiskWatcher): Disk {
  const files = new Map<string, Uint8Array>();
  const folders = new Map<string, Set<string>>();

  const disk: Disk = {
    get: (key) => files.get(key),
    write(key, bytes) {
      const before = files.get(key);
      watcher.onWrite(key, bytes, before);
      files.set(key, bytes);
      if (!before) enterAll(key);
    },
    remove(key) {
      if (!files.delete(key)) return;
      watcher.onRemove(key);
      leave(key);
    },
    names: (folder) => [...(folders.get(folder) ?? [])].sort(byCodeUnit),
    below: (folder) =>
      disk.names(folder).flatMap((name) => {
        const key = folder === '' ? name : `${folder}/${name}`;
        return files.has(key) ? [key] : disk.below(key);
      }),
  };
  return disk;

  function enterAll(key: string): void {
    for (let path = key; path !== ''; ) {
      const [folder, name] = split(path);
      const names = folders.get(folder);
      if (names) {
        names.add(name);
        return;
      }
      folders.set(folder, new Set([name]));
      path = folder;
    }
  }

  function leave(key: string): void {
    const [folder, name] = split(key);
    const names = folders.get(folder);
    names?.delete(name);
    if (names?.size !== 0) return;
    folders.delete(folder);
    if (folder !== '') leave(folder);
  }
}

function split(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/');
  return at < 0 ? ['', path] : [path.slice(0, at), path.slice(at + 1)];
}
