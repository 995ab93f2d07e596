/** Takes the lock (a folder) if nobody alive holds it; else names the process that does. */
export function tryLock(folder: string): { release: () => void } | { holder: number; foreign?: string };
/** Waits for the lock, runs the work and gives the lock back. */
export function withLock<T>(
  folder: string,
  work: () => Promise<T>,
  options?: { onWait?: (holder: number, waitedMs: number) => void; timeoutMs?: number },
): Promise<T>;
