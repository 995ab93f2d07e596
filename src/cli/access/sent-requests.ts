import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.js';

/**
 * When the worker of this data folder sent the account's requests, ascending epoch ms: the file in which it counts them.
 * It keeps the latest ones alone, and there is none where the account is served elsewhere.
 */
export async function sentRequests(data: string, account: string, sinceMs: number): Promise<number[]> {
  try {
    const text = await readFile(join(data, 'requests', `${account}.log`), 'utf8');
    const times = text.split('\n').filter((line) => /^\d+$/.test(line));
    return times
      .map(Number)
      .filter((atMs) => atMs >= sinceMs)
      .sort((a, b) => a - b);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** A minute and a second, and one request kept free: the window in which the worker counts. */
const WINDOW_MS = 61_000;
const RESERVE = 1;

/** Whether the next request has to wait for its turn; false where nobody counts here. */
export async function isMinuteFull({ data, account }: Config, rpm: number | null, nowMs: number): Promise<boolean> {
  if (rpm === null) return false;
  const sentMs = await sentRequests(data, account.name, nowMs - WINDOW_MS);
  return sentMs.length >= Math.max(1, rpm - RESERVE);
}
