// A worker as the supervisor sees one: takes accounts, counts open batches, can be told to misbehave.
// The settings of a registration are its orders: {fail: code}, {open: n}, {silentOnce: file}, {failWhile: file}.
import { existsSync, writeFileSync } from 'node:fs';

/** @param {import('../../src/engine/registration.js').FromWorker} message */
const say = (message) => process.send?.(message);

process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.on('message', ({ turn, registration }) => {
  const { account, settings, key } = registration;
  process.stderr.write(`account ${account} key of ${key.value?.length ?? 0}\n`);
  if (settings.silentOnce !== undefined && !existsSync(settings.silentOnce)) {
    writeFileSync(settings.silentOnce, '');
    return;
  }
  const code = settings.failWhile !== undefined && existsSync(settings.failWhile) ? 'away' : settings.fail;
  if (code) say({ type: 'failed', turn, account, code, message: 'refused' });
  else say({ type: 'ready', turn, account });
  if (settings.open !== undefined) say({ type: 'open', batches: settings.open });
});
say({ type: 'open', batches: 0 });
