// A place with a service of its own, where one draw after the other finds its situation.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from './check.js';
import { mountDisk, takeTheRest } from './disks.js';
import { type Draw, FILES } from './draw.js';
import { foldersBelow, KEY, type Place, paidRequests, runAt } from './place.js';
import { LEFT_BEHIND, openEmulator, placed, type Stage, type Template, writeTemplate } from './stage.js';

export interface Lane {
  carryOut(draw: Draw): Promise<Outcome>;
  close(): Promise<void>;
}

/** A lane without an engine: its homes are copies of what batches left. */
export async function openLane(stage: Stage, name: string): Promise<Lane> {
  const emulator = await openEmulator();
  const root = join(stage.root, name);
  const disks = { 'read-only': join(stage.root, `${name}-read-only`), full: join(stage.root, `${name}-full`) };
  const copy = (below: string, home: keyof Stage['templates']): Template =>
    placed(stage.templates[home], below, emulator.url);
  const templates = Object.fromEntries(LEFT_BEHIND.map((home) => [home, copy(root, home)]));
  const readOnly = mountDisk(disks['read-only'], 8);
  const full = mountDisk(disks.full, 8);
  if (readOnly !== undefined) writeTemplate(copy(disks['read-only'], 'failed'), disks['read-only']);
  readOnly?.makeReadOnly();
  if (full !== undefined) writeTemplate(copy(disks.full, 'failed'), disks.full);

  const prepare = (draw: Draw): Place => {
    const { home, disk } = draw.situation;
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    const place: Place = {
      emulator,
      ...foldersBelow(root),
      account: home,
      names: draw.names,
      key: KEY,
      payer: 'default',
    };
    if (disk === 'read-only' && readOnly !== undefined) {
      const { home: at, out } = foldersBelow(disks['read-only']);
      return { ...place, home: at, out };
    }
    if (disk === 'full' && full !== undefined) {
      takeTheRest(join(disks.full, 'the-rest'));
      return { ...place, ...foldersBelow(disks.full), work: place.work };
    }
    if (home !== 'nothing') writeTemplate(templates[home] ?? new Map(), root);
    if (disk === 'a damaged document') damage(draw, place.home);
    else if (disk !== undefined) writeFileSync(place.home, 'not a folder');
    return place;
  };
  return {
    async carryOut(draw) {
      const place = prepare(draw);
      const { service } = draw.situation;
      emulator.setKeys([{ key: KEY, state: service === 'refuses the key' ? 'revoked' : 'active' }]);
      if (service === 'away') await emulator.pause();
      const outcome = await carryOutAt(place, draw);
      if (service === 'away') await emulator.resume();
      return outcome;
    },
    async close() {
      readOnly?.release();
      full?.release();
      await emulator.close();
    },
  };
}

/** Runs the draw's command where everything stands as it shall. */
export async function carryOutAt(place: Place, draw: Draw): Promise<Outcome> {
  const { manifest, edited, words, stdin, interruptAfterMs } = draw;
  mkdirSync(place.work, { recursive: true });
  const write = (text: string): void => writeFileSync(join(place.work, manifest.name), text);
  write(manifest.text);
  writeFileSync(join(place.work, FILES.good), '{}');
  writeFileSync(join(place.work, FILES.bad), '{"concurency": 1');
  const before = paidRequests(place);
  const editing = edited && sleep(edited.afterMs).then(() => write(edited.manifest.text));
  const ended = await runAt(place, words, { stdin, interruptAfterMs });
  await editing;
  return { ended, paid: paidRequests(place) - before };
}

/** A document of the home is cut, emptied, overwritten or gone. */
function damage({ random }: Draw, home: string): void {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const { parentPath, name } = random.pick(entries);
  const path = join(parentPath, name);
  const harm = random.pick(['{"sch', '', '\u0000\u0000\u0000', '[]', '{"schema":999}', 'gone']);
  if (harm === 'gone') rmSync(path);
  else writeFileSync(path, harm);
}
