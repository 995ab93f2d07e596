// The S3 server of the tests: a real one, looked for, never installed by them.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporalCacheFolder } from '../../scripts/lib/temporal-cli.mjs';

/** What `.ci/run` builds where Go is. */
export const VERSITYGW = 'v1.8.0';

/** For `describe.skipIf(!hasVersitygw())`. Without the program the tests are skipped, and say so; with CI that is an error. */
export function hasVersitygw(): boolean {
  if (versitygwPath() !== undefined) return true;
  const sentence = `no versitygw, so these tests do not run: go install github.com/versity/versitygw/cmd/versitygw@${VERSITYGW}, then put it on PATH or in CALLSHEET_VERSITYGW`;
  if (process.env.CI === 'true') throw new Error(sentence);
  console.warn(sentence);
  return false;
}

/** `CALLSHEET_VERSITYGW`, PATH, then the folder of programs that tests share. */
export function versitygwPath(): string | undefined {
  const named = process.env.CALLSHEET_VERSITYGW;
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'versitygw'));
  const cached = join(temporalCacheFolder(process.env), '..', '..', 'versitygw', VERSITYGW, 'versitygw');
  return [...(named === undefined ? [] : [named]), ...onPath, cached].find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
