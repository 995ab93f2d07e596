// The S3 server of the tests: a real one, looked for, never installed by them.
import { INSTALL_VERSITYGW, versitygwPath } from '../../scripts/lib/versitygw.mjs';

/** For `describe.skipIf(!hasVersitygw())`. Without the program the tests are skipped, and say so; with CI that is an error. */
export function hasVersitygw(): boolean {
  if (versitygwPath() !== undefined) return true;
  const sentence = `no versitygw, so these tests do not run: ${INSTALL_VERSITYGW}`;
  if (process.env.CI === 'true') throw new Error(sentence);
  console.warn(sentence);
  return false;
}
