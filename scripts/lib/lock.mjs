// A lock between processes that is free again when its holder dies, however it dies.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, startMark } from './live-process.mjs';

/** In place of a boot or namespace, on systems that do not say theirs. */
const UNKNOWN = '0';

/**
 * The lock is a folder. Who wants it writes a file of its own, named after its process, and then looks: when nobody
 * else alive has one, the lock is held; else the own file goes away again. Names are never used twice, so clearing
 * away the file of a dead process cannot hit a living one; of two that look, the later one always sees the earlier.
 * @param {string} folder
 * @returns {{ release: () => void } | { holder: number, foreign?: string }} `foreign`: why nobody here can tell whether
 *   the holder still lives, in a sentence with what to do.
 */
export function tryLock(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mine = `${process.pid}.${startMark(process.pid) ?? '0'}.${placeOf()}.${randomBytes(6).toString('hex')}`;
  writeFileSync(join(folder, mine), '', { flag: 'wx', mode: 0o600 });
  const other = readdirSync(folder).find((name) => name !== mine && !isStale(folder, name));
  const release = () => rmSync(join(folder, mine), { force: true });
  if (other === undefined) return { release };
  release();
  const holder = Number(other.split('.')[0]);
  if (!isForeign(other)) return { holder };
  const [, , host, boot] = other.split('.');
  const isHere = host === hostName() || (boot === bootId() && boot !== UNKNOWN);
  const which = isHere ? 'in another container of this machine' : `on the machine '${host}'`;
  return {
    holder,
    foreign: `process ${holder} ${which} has this folder (${join(folder, other)}): end it there; only if it no longer runs, remove that file`,
  };
}

/**
 * Waits for the lock, runs the work and gives the lock back.
 * @template T
 * @param {string} folder
 * @param {() => Promise<T>} work
 * @param {{ onWait?: (holder: number, waitedMs: number) => void, timeoutMs?: number }} [options] `onWait` is called
 *   every 5 s while another process holds the lock.
 * @returns {Promise<T>}
 */
export async function withLock(folder, work, { onWait, timeoutMs = 900_000 } = {}) {
  const startedAt = Date.now();
  let toldAt = 0;
  for (;;) {
    const got = tryLock(folder);
    if ('release' in got) {
      try {
        return await work();
      } finally {
        got.release();
      }
    }
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) {
      throw new Error(
        `process ${got.holder} has held ${folder} for ${Math.round(waitedMs / 1000)} s: end it and try again`,
      );
    }
    if (waitedMs - toldAt >= 5_000) {
      toldAt = waitedMs;
      onWait?.(got.holder, waitedMs);
    }
    // Two that came at the same instant both step back; the dice keep them from meeting for ever.
    await sleep(30 + Math.random() * 150);
  }
}

/**
 * Clears away a dead process's file.
 * @param {string} folder
 * @param {string} name
 */
function isStale(folder, name) {
  if (isForeign(name)) return false;
  const [pid, mark] = name.split('.');
  if (isOfThisBoot(name) && isAlive(Number(pid), mark ?? '')) return false;
  rmSync(join(folder, name), { force: true });
  return true;
}

/** Machine, boot and process namespace: only where all three are ours does a process number say anything. */
function placeOf() {
  return `${hostName()}.${bootId()}.${processNamespace()}`;
}

/**
 * Whether another machine, or another process namespace of this one since the same boot, made the file. A name without
 * a place was made by an older build on this machine. No other machine has this boot: a host name may change meanwhile.
 * @param {string} name
 */
function isForeign(name) {
  const [, , host, boot, namespace, random] = name.split('.');
  if (random === undefined) return false;
  const isThisBoot = boot === bootId() && boot !== UNKNOWN;
  return isThisBoot ? namespace !== processNamespace() : host !== hostName();
}

/** @param {string} name */
function isOfThisBoot(name) {
  const [, , , boot, , random] = name.split('.');
  return random === undefined || boot === bootId();
}

function hostName() {
  return hostname().replace(/[^A-Za-z0-9-]+/g, '-') || 'unknown';
}

function bootId() {
  return tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
}

function processNamespace() {
  return tryRead(() => readlinkSync('/proc/self/ns/pid'));
}

/** @param {() => string} read */
function tryRead(read) {
  try {
    return read().replace(/[^A-Za-z0-9]+/g, '') || UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}
