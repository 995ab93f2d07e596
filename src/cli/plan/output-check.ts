import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.js';
import type { OutputFile, RowRecord } from '../../domain/outcome.js';
import { isS3Address } from '../../domain/s3.js';
import { openPlace } from '../access/home-access.js';

/** Looks whether the files of finished rows are still what was stored. */
export interface OutputCheck {
  /** The first file that is gone or is another one by now; undefined when all are as they were. */
  flaw(record: RowRecord): Promise<OutputFlaw | undefined>;
}

export interface OutputFlaw {
  /** Relative to the batch's folder. */
  file: string;
  flaw: 'gone' | 'changed';
}

/** Clocks of drives differ a little from this machine's. */
const CLOCK_SLACK_MS = 5_000;

/**
 * In a folder a file is opened only where its size or its time tells that it was touched since; of a bucket the names
 * are listed once.
 */
export function openOutputCheck(config: Config, out: string, batch: string): OutputCheck {
  const store = openPlace(config, out, 'shared');
  const listed = isS3Address(out) ? listOnce() : undefined;
  return {
    async flaw(record) {
      for (const file of record.files) {
        const flaw = listed ? await flawInBucket(file) : await flawInFolder(file, record.finishedAtMs);
        if (flaw !== undefined) return { file: file.file, flaw };
      }
      return undefined;
    },
  };

  function listOnce(): () => Promise<Set<string>> {
    let keys: Promise<Set<string>> | undefined;
    return async () => {
      keys ??= list();
      return await keys;
    };
  }

  async function list(): Promise<Set<string>> {
    const keys = new Set<string>();
    for await (const key of store.list(`${batch}/media`)) keys.add(key);
    return keys;
  }

  async function flawInBucket({ file }: OutputFile): Promise<OutputFlaw['flaw'] | undefined> {
    return (await listed?.())?.has(`${batch}/${file}`) === true ? undefined : 'gone';
  }

  async function flawInFolder(file: OutputFile, storedAtMs: number): Promise<OutputFlaw['flaw'] | undefined> {
    const facts = await lstat(join(out, batch, file.file)).catch(() => undefined);
    if (facts === undefined) return 'gone';
    if (facts.size !== file.bytes) return 'changed';
    if (facts.mtimeMs <= storedAtMs + CLOCK_SLACK_MS) return undefined;
    return (await store.stat(`${batch}/${file.file}`))?.sha256 === file.sha256 ? undefined : 'changed';
  }
}
