// A worker as the supervisor sees one: takes accounts, counts open batches, can be told to misbehave.
// The settings of a registration are its orders: {fail: code}, {open: n}, {others: n}, {silentOnce: file}, {failWhile: file},
// {proof: what} of its key, {late: file} once the file is there, {leaves: true} the account at once, {awaits: ms} a paid answer for so long after it was asked to end, {hangs: true} and never ends,
// {sees: what} of every batch.
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** @param {import('../../src/engine/registration.js').FromWorker} message */
const say = (message) => process.send?.(message);

process.on('disconnect', () => process.exit(0));
let awaits = 0;
let hangs = false;
/** @type {import('../../src/domain/json.js').JsonObject | null | undefined} */
let sees;
process.on('SIGTERM', () => {
  const endsAtMs = Date.now() + awaits;
  const report = () => {
    const isOver = Date.now() >= endsAtMs;
    if (isOver && !hangs) process.exit(0);
    if (awaits > 0) say({ type: 'awaiting', calls: isOver ? [] : [{ creditsNano: 80_000_000, untilMs: endsAtMs }] });
  };
  setInterval(report, 100);
  report();
});
process.on('message', async ({ type, turn, account: of, registration }) => {
  if (type === 'server') return;
  if (type === 'look') return say({ type: 'seen', turn, account: of, ...(sees === undefined ? {} : { seen: sees }) });
  const { account, settings, key } = registration;
  const s3 = Object.keys(registration.s3 ?? {}).join();
  process.stderr.write(`account ${account} key of ${key.value?.length ?? 0}${s3 && ` with ${s3}`}\n`);
  if (settings.silentOnce !== undefined && !existsSync(settings.silentOnce)) {
    writeFileSync(settings.silentOnce, '');
    return;
  }
  if (settings.late !== undefined) while (!existsSync(settings.late)) await sleep(20);
  const code = settings.failWhile !== undefined && existsSync(settings.failWhile) ? 'away' : settings.fail;
  if (code) say({ type: 'failed', turn, account, code, message: 'refused' });
  else say({ type: 'ready', turn, account, settings, key: settings.proof ?? 'good' });
  if (settings.leaves) say({ type: 'left', account });
  awaits = settings.awaits ?? awaits;
  hangs = settings.hangs ?? hangs;
  if ('sees' in settings) sees = settings.sees;
  const { open: batches, others = 0 } = settings;
  if (batches !== undefined) say({ type: 'open', batches, others });
});
say({ type: 'open', batches: 0, others: 0 });
