import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

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
