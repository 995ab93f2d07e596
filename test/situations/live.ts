// The lane of the one engine: each draw finds a batch of its own there.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SUBMITS } from './check.js';
import type { Draw } from './draw.js';
import { carryOutAt, type Lane } from './lane.js';
import { type Place, paidRequests, runAt } from './place.js';
import { ROWS, type Stage, writeManifest } from './stage.js';

/** Beyond this, `list` would look at the batches of all draws before. */
const DRAWS_PER_ACCOUNT = 20;
const STARTED_MS = 700;
const TRIES = 10;
const QUIET_MS = 600;
const QUIET_WITHIN_MS = 8_000;

export async function openLiveLane(stage: Stage): Promise<Lane> {
  const other = await openOtherBuild(stage);
  let accounts = 0;
  let draws = DRAWS_PER_ACCOUNT;
  return {
    async carryOut(draw) {
      if (draws >= DRAWS_PER_ACCOUNT) {
        accounts += 1;
        draws = 0;
      }
      draws += 1;
      const place = { ...stage.place(`live${accounts}`), names: draw.names };
      await prepare(place, draw);
      await untilQuiet(place);
      const { live } = draw.situation;
      const outcome = await carryOutAt(live === 'another build' ? { ...place, data: other.data } : place, {
        ...draw,
        words: live === 'other settings' ? [...draw.words, ...otherSettings(draw)] : draw.words,
      });
      if (draw.leaf.path.startsWith('engine ')) stage.wake();
      // What these leave under way submits later: the next draw is billed on its own.
      if (SUBMITS.includes(draw.leaf.path) || draw.leaf.path === 'engine stop') draws = DRAWS_PER_ACCOUNT;
      return outcome;
    },
    async close() {
      await new Promise((resolve) => other.server.close(resolve));
    },
  };
}

/** Runs the draw's batch until it stands as it shall; what stands now may go on by itself. */
async function prepare(place: Place, { names, situation: { live } }: Draw): Promise<void> {
  if (live === 'nothing runs') return;
  const rows = ROWS.open;
  writeManifest(place, names.batch, rows);
  const submitted = paidRequests(place) + rows.length;
  // On a busy machine the first Ctrl-C comes before anything was submitted.
  for (let tries = 1; tries <= TRIES && paidRequests(place) < submitted; tries += 1) {
    await runAt(place, ['run', `${names.batch}.csv`, '--yes'], { interruptAfterMs: STARTED_MS * tries });
  }
  if (live === 'paused') await runAt(place, ['pause', names.batch]);
  if (live === 'cancelling') await runAt(place, ['cancel', names.batch]);
}

/** What was ordered before is submitted by now: whatever follows, the command of the draw did it. */
async function untilQuiet(place: Place): Promise<void> {
  for (const deadline = Date.now() + QUIET_WITHIN_MS; Date.now() < deadline; ) {
    const before = paidRequests(place);
    await sleep(QUIET_MS);
    if (paidRequests(place) === before) return;
  }
}

function otherSettings({ leaf, random }: Draw): string[] {
  if (!leaf.options.some(({ long }) => long === '--concurrency')) return [];
  return random.pick([
    ['--concurrency', '1'],
    ['--rpm', '100'],
    ['--exclusive'],
    ['--ambiguity', 'hold'],
    ['--sidecar'],
  ]);
}

/** The engine as one of another build shows itself: behind a socket that changes the build's id in what it says. */
async function openOtherBuild(stage: Stage): Promise<{ data: string; server: Server }> {
  const data = join(stage.root, 'other-build');
  mkdirSync(data, { recursive: true });
  const record = JSON.parse(readFileSync(join(stage.data, 'engine.json'), 'utf8')) as {
    buildId: string;
    socket: string;
  };
  const socket = join(data, 'engine.sock');
  const server = createServer((client) => {
    const engine = connect(record.socket);
    client.pipe(engine);
    let said = '';
    engine.on('data', (piece) => {
      said += String(piece);
    });
    engine.on('end', () => client.end(said.replaceAll(record.buildId, 'another-build')));
    engine.on('error', () => client.destroy());
    client.on('error', () => engine.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  const shown = { ...record, buildId: 'another-build', socket };
  writeFileSync(join(data, 'engine.json'), JSON.stringify(shown), { mode: 0o600 });
  return { data, server };
}
