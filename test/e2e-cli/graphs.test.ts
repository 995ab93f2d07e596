// A graph of rows that feed rows, with everything at once: lost answers, refusals, expired URLs, repeated rows, files that a
// person changes, and SIGKILL of all processes. `CALLSHEET_GRAPH_ROWS=2000` makes it a long one.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { randomFrom } from '../support/random.js';
import { hasTemporal } from '../support/temporal.js';
import { finishedIds, isCharged, jobsByRow, type Result, results } from './support/evidence.js';
import { killTogether } from './support/killing.js';
import { type Rig, startRig, until } from './support/rig.js';

const ROWS = Number(process.env.CALLSHEET_GRAPH_ROWS ?? 56);
const KILLS = ROWS > 500 ? 6 : 2;
const DEPTH_MAX = 8;
/** Lost answers pace the submits of a long one. */
const TIMEOUT_MS = 900_000 + ROWS * 1_500;

interface Node {
  id: string;
  kind: 'svc/image' | 'svc/edit' | 'vendor-a/image2video' | 'vendor-a/omni-video';
  /** Their places. */
  fedBy: number[];
  depth: number;
  /** The place of the row with the same request. */
  shares?: number;
}

/** Chains to depth 8, a fan of up to 100, joins of up to 4, and rows that ask for what an earlier one asks for. */
function drawGraph(count: number, random: (below: number) => number): Node[] {
  const nodes: Node[] = [];
  const stills: number[] = [];
  const fan = Math.min(100, Math.floor(count / 8));
  for (let at = 0; at < count; at += 1) {
    const id = `g${at}`;
    const able = stills.filter((still) => (nodes[still]?.depth ?? DEPTH_MAX) < DEPTH_MAX);
    const pick = (): number => (at <= fan ? 0 : (able[random(3) === 0 ? able.length - 1 : random(able.length)] ?? 0));
    const depthOver = (places: number[]): number => 1 + Math.max(...places.map((place) => nodes[place]?.depth ?? 0));
    const copied = nodes[random(Math.max(1, at))];
    if (at > fan && random(12) === 0 && copied?.kind.startsWith('svc/') && copied.shares === undefined) {
      nodes.push({ ...copied, id, shares: nodes.indexOf(copied) });
      continue;
    }
    if (at === 0 || (at > fan && random(4) === 0)) nodes.push({ id, kind: 'svc/image', fedBy: [], depth: 1 });
    else if (random(4) === 0) {
      const fedBy = Array.from({ length: 1 + random(4) }, pick);
      nodes.push({ id, kind: 'vendor-a/omni-video', fedBy, depth: depthOver(fedBy) });
    } else {
      const fedBy = [pick()];
      nodes.push({ id, kind: random(3) === 0 ? 'vendor-a/image2video' : 'svc/edit', fedBy, depth: depthOver(fedBy) });
    }
    if (nodes[at]?.kind.startsWith('svc/')) stills.push(at);
  }
  return nodes;
}

const MODELS: Partial<Record<Node['kind'], string>> = {
  'svc/image': 'svc-alpha.2-klein-4b',
  'svc/edit': 'svc-beta-image-edit-2511',
};

function manifestOf(nodes: readonly Node[]): string {
  const lines = nodes.map(({ id, kind, fedBy, shares }) => {
    const asks = shares === undefined ? id : nodes[shares]?.id;
    const isStill = kind.startsWith('svc/');
    const fed = fedBy.map((place) => `@${nodes[place]?.id}`);
    const isJoin = kind === 'vendor-a/omni-video';
    const size = isStill ? '320,320,7' : ',,';
    const inputs = isJoin ? `,${fed.join('|')}` : `${fed.join('')},`;
    return `${id},${kind},${MODELS[kind] ?? ''},a view for row ${asks}.,${size},${inputs},${isStill ? '' : '5'}`;
  });
  return `${['id,kind,model,prompt,width,height,seed,image,images,duration', ...lines].join('\n')}\n`;
}

/** Which of a route's requests a fault meets: one in so many. */
const every = (random: (below: number) => number, one: number): number[] =>
  Array.from({ length: Math.ceil((ROWS * 2) / one) }, (_, i) => (i + 1) * one - random(one));

function faultsOf(random: (below: number) => number): FaultRule[] {
  const refused = { do: 'answer', status: 400, body: '{"detail":"no"}', contentType: 'application/json' } as const;
  const lost = { do: 'reset-before-answer', created: true } as const;
  const routes = ['svc.image', 'svc.edit', 'vendor-a.image2video.submit', 'vendor-a.omni-video.submit'];
  return [
    ...routes.flatMap((route): FaultRule[] => [
      { match: { route, nth: every(random, 25) }, action: refused },
      { match: { route, nth: every(random, 30) }, action: lost },
    ]),
    { match: { route: 'media', nth: every(random, 20) }, action: { do: 'answer', status: 403, body: '' } },
  ];
}

const isFailedBefore = ({ status, reason_code: reason }: Result): boolean =>
  status === 'not_started' && /^upstream_/.test(reason ?? '');

describe.skipIf(!hasTemporal())('a graph of rows', () => {
  let rig: Rig;
  afterEach(() => rig?.stop());

  it(
    'ends whole: nothing is paid twice, nothing is sent before what feeds it, whatever happens',
    async () => {
      const random = randomFrom(ROWS);
      const nodes = drawGraph(ROWS, random);
      rig = await startRig({ speed: 60, emulator: { faults: faultsOf(random), balanceCredits: '100000' } });
      await rig.write('graph.csv', manifestOf(nodes));
      const run = ['run', 'graph.csv', '--yes'];
      const changed = new Set<string>();
      let running = rig.start(run);
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const enough = (ROWS / 2 / KILLS) * kill;
        await until(`${enough} rows have ended`, () => finishedIds(rig, 'graph').length >= enough || undefined);
        if (kill === 1) changeSome(finishedIds(rig, 'graph'));
        await killTogether(rig, 'graph', running);
        running = rig.start(run);
      }
      const ended = await running.ended;
      expect([0, 1, 3], ended.stderr).toContain(ended.code);
      checkEnds();

      /** A person retouches one output that feeds others and removes another. */
      function changeSome(finished: string[]): void {
        const stills = nodes.filter(({ id, kind }) => kind.startsWith('svc/') && finished.includes(id));
        for (const [i, { id }] of stills.slice(-2).entries()) {
          changed.add(id);
          const file = join(rig.out, 'graph', 'media', `${id}.png`);
          if (i === 0) rmSync(file, { force: true });
          else writeFileSync(file, 'retouched');
        }
      }

      function checkEnds(): void {
        const lines = new Map(results(rig, 'graph').map((line) => [line.id, line]));
        const truth = rig.emulator.truth();
        const jobs = jobsByRow(truth);
        expect([...lines.keys()]).toEqual(nodes.map(({ id }) => id));
        expect(truth.account.maxima.jobsAtOnce).toBeLessThanOrEqual(truth.account.caps.concurrent);
        for (const node of nodes) {
          const line = lines.get(node.id) as Result & { submitted_at?: string };
          const feeders = node.fedBy.map(
            (place) => lines.get(nodes[place]?.id ?? '') as Result & { finished_at?: string },
          );
          const of = feeders.map(({ id, status, reason_code: reason }) => `${id} ${status} ${reason}`).join(', ');
          const seen = `${node.id} ${line.status} ${line.reason_code} ${line.reason}; fed by ${of}`;
          const charged = (jobs.get(node.id) ?? []).filter(isCharged);
          if (node.shares !== undefined) {
            const original = lines.get(nodes[node.shares]?.id ?? '') as Result;
            expect(charged, seen).toEqual([]);
            const isOnlyIn = changed.size > 0 && line.reason_code === 'shared_row_failed';
            if (original.status === 'done' && !isOnlyIn) expect(line.status, seen).toBe('done');
            if (original.status !== 'done') expect(line.status, seen).not.toBe('done');
            continue;
          }
          expect(charged.length, seen).toBeLessThanOrEqual(1);
          if (line.status === 'done' || line.status === 'lost_paid') expect(charged, seen).toHaveLength(1);
          if (line.status === 'failed' || line.status === 'not_started') expect(charged, seen).toHaveLength(0);
          // What was sent before a person changed its input was fed; what was not is refused, or waits for the file.
          if (feeders.some(({ id }) => changed.has(id))) continue;
          const isFed = feeders.every(({ status }) => status === 'done');
          if (!isFed) expect(isFailedBefore(line), seen).toBe(true);
          else if (line.status === 'not_started') expect(line.reason_code, seen).toBe('input_changed');
          else expect(['done', 'failed', 'review', 'lost_paid'], seen).toContain(line.status);
          if (!isFed || line.submitted_at === undefined || line.submitted_at === null) continue;
          for (const feeder of feeders)
            expect(Date.parse(line.submitted_at), seen).toBeGreaterThanOrEqual(Date.parse(feeder.finished_at ?? ''));
        }
        const statuses = [...lines.values()].map(({ status, reason_code: reason }) =>
          status === 'not_started' ? reason : status,
        );
        const counts = Object.fromEntries(
          [...new Set(statuses)].map((one) => [one, statuses.filter((other) => other === one).length]),
        );
        process.stdout.write(`graph of ${ROWS} rows: ${JSON.stringify(counts)}, ${truth.jobs.length} jobs\n`);
      }
    },
    TIMEOUT_MS,
  );
});
