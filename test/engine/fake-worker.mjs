// A worker as the supervisor sees one: takes accounts, counts open batches, can be told to misbehave.
// The settings of a registration are its orders: {fail: code}, {open: n}, {silentOnce: file}.
import { existsSync, writeFileSync } from 'node:fs';

process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.on('message', ({ registration }) => {
  const { account, settings, key } = registration;
  process.stderr.write(`account ${account} key of ${key.value?.length ?? 0}\n`);
  if (settings.silentOnce !== undefined && !existsSync(settings.silentOnce)) {
    writeFileSync(settings.silentOnce, '');
    return;
  }
  if (settings.fail) process.send({ type: 'failed', account, code: settings.fail, message: 'refused' });
  else process.send({ type: 'ready', account });
  if (settings.open !== undefined) process.send({ type: 'open', batches: settings.open });
});
process.send({ type: 'open', batches: 0 });
