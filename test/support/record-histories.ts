// Keeps histories for the replay tests: run with RECORD_HISTORIES=true after a change of a workflow's commands.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporal } from '@temporalio/proto';
import type { StoredHistory } from './histories.js';

export const RECORDED = fileURLToPath(new URL('../replay/histories', import.meta.url));

const { History } = temporal.api.history.v1;
const AS_JSON = { bytes: String, longs: String, enums: String };

/** A history as it was kept. */
export function recordedHistory(name: string): ReturnType<typeof History.create> {
  return History.fromObject(JSON.parse(readFileSync(join(RECORDED, name), 'utf8')) as object);
}

/** Writes histories as `<name>-1.json`, `<name>-2.json`, …; who ran them is nobody's business. */
export function recordHistories(name: string, histories: StoredHistory[]): void {
  if (process.env.RECORD_HISTORIES !== 'true') return;
  for (const [i, { history }] of histories.entries()) {
    const plain = History.toObject(history as ReturnType<typeof History.create>, AS_JSON);
    const text = JSON.stringify(plain, (key, value) =>
      key === 'identity' ? 'worker' : key === 'stackTrace' ? '' : value,
    );
    writeFileSync(join(RECORDED, `${name}-${i + 1}.json`), `${text}\n`);
  }
}
