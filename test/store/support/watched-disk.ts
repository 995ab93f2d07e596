// The calls of `node:fs` by which a home on this machine's disk writes, told of once they are done: for `vi.mock('node:fs', …)`.
type Disk = typeof import('node:fs');

export interface Told {
  created(path: string): void;
  written(path: string, bytes: Uint8Array): void;
  synced(path: string, isNew: boolean): void;
  linked(from: string, to: string): void;
  renamed(from: string, to: string): void;
  removed(path: string): void;
  made(path: string): void;
}

export function watchedDisk(real: Disk, told: Told): Partial<Disk> {
  const opened = new Map<unknown, { path: string; isNew: boolean }>();
  const calls = {
    openSync(path: string, flags: string, mode?: number): number {
      const file = real.openSync(path, flags, mode);
      opened.set(file, { path, isNew: flags === 'wx' });
      if (flags === 'wx') told.created(path);
      return file;
    },
    writeFileSync(file: number, bytes: Uint8Array): void {
      real.writeFileSync(file, bytes);
      told.written(opened.get(file)?.path ?? '', bytes);
    },
    fsync(file: number, done: (error: Error | null) => void): void {
      const { path, isNew } = opened.get(file) ?? { path: '', isNew: false };
      real.fsync(file, (error) => {
        if (!error) told.synced(path, isNew);
        done(error);
      });
    },
    linkSync(from: string, to: string): void {
      real.linkSync(from, to);
      told.linked(from, to);
    },
    renameSync(from: string, to: string): void {
      real.renameSync(from, to);
      told.renamed(from, to);
    },
    rmSync(path: string, options: object): void {
      real.rmSync(path, options);
      told.removed(path);
    },
    mkdirSync(path: string, options: object): void {
      real.mkdirSync(path, options);
      told.made(path);
    },
  };
  return calls as unknown as Partial<Disk>;
}
