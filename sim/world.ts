import type { BatchResult } from '../src/contract/workflows.js';
import type { RowRecord } from '../src/domain/outcome.js';
import type { Group } from '../src/home/verdicts.js';
import { createMessenger } from '../src/worker/messenger.js';
import * as workflows from '../workflows/index.js';
import { settingsOf } from './account-settings.js';
import { createLedgerWatch, type LedgerWatch } from './check/ledger-watch.js';
import { createServiceWatch, type ServiceWatch } from './check/service-watch.js';
import type { Sim } from './engine/current.js';
import type { Scenario } from './scenario.js';
import { createSimService, type SimService } from './service.js';
import { createServer, type Server } from './temporal/server.js';
import { createWire } from './wire.js';
import { type Client, createClient } from './worker/client.js';
import { createDisk, type Disk } from './worker/disk.js';
import { type Fleet, startFleet } from './worker/fleet.js';
import type { StoreFaults } from './worker/memory-store.js';
import { createTemporalClient } from './worker/temporal-client.js';

/** Puts a seed's parts together: service, server, workers, home, client, and the checks that watch them. */

export type Report = (subject: string, what: string) => void;

export type EndedBatch = BatchResult & { endedAtMs: number };

export interface World {
  service: SimService;
  server: Server;
  fleet: Fleet;
  client: Client;
  ledger: LedgerWatch;
  watch: ServiceWatch;
  records: Map<string, { atMs: number; record: RowRecord }>;
  /** Those that were settled by count. */
  groups: Group[];
  outputs: Disk;
  /** Rows whose file a person changed. */
  changed: Set<string>;
  /** The batches that ended, by workflow id. */
  results: Map<string, EndedBatch>;
}

export function buildWorld(sim: Sim, scenario: Scenario, report: Report, trace: Report): World {
  const { faults } = scenario;
  const now = (): number => sim.scheduler.now();
  const ledger = createLedgerWatch(now, report, trace);
  const records: World['records'] = new Map();
  const groups: Group[] = [];
  const home = createDisk({
    onRemove: ledger.onRemove,
    onWrite(key, bytes, before) {
      ledger.onWrite(key, bytes, before);
      if (/\/groups\//.test(key)) groups.push(JSON.parse(Buffer.from(bytes).toString()) as Group);
      const match = /\/batches\/([^/]+)\/records\//.exec(key);
      if (!match) return;
      const record = JSON.parse(Buffer.from(bytes).toString()) as RowRecord;
      trace('record', `${match[1]}/${record.id} ${record.status} ${record.reasonCode ?? ''}`);
      records.set(`${match[1]}/${record.id}`, { atMs: now(), record });
      touchFile(`${match[1]}/${record.id}`, record);
    },
  });
  const outputs = createDisk({ onRemove: () => undefined, onWrite: () => undefined });
  const changed: World['changed'] = new Set();
  const touchFile = filesTouched(sim, scenario, outputs, changed);
  let service: SimService | undefined;
  const theService = (): SimService => {
    if (!service) throw new Error('the service is not there yet');
    return service;
  };
  const watch = createServiceWatch({ sim, scenario, service: theService, ledger, records, outputs, report, trace });
  service = createSimService(sim, scenario, watch);
  const settings = settingsOf(scenario);
  const results: World['results'] = new Map();
  let fleet: Fleet | undefined;
  const server = createServer({
    sim,
    workflows: workflows as never,
    workers: () => fleet?.workers() ?? [],
    onSignal: watchGrants(report, trace),
    onEnd: (run, ending) => {
      if (run.type !== 'batch' || ending.how !== 'completed') return;
      results.set(run.id, { ...(ending.result as BatchResult), endedAtMs: now() });
    },
    trace,
    report,
    faults: { duplicate: faults.duplicate, lostCompletion: faults.lostCompletion },
  });
  const temporal = createTemporalClient(server, sim.random.fork('client'), faults.messageFails);
  const messenger = createMessenger(temporal, settings.account, settings.timeScale);
  const { transport, downloader } = createWire(sim, scenario, service, watch, trace);
  fleet = startFleet(sim, scenario, {
    sim,
    settings,
    disk: home,
    outputs,
    storeFaults: storeFaultsOf(sim, scenario),
    transport,
    keyMark: service.keyMark,
    downloader,
    messenger,
    onRpm: (rpm) => server.activities.setRpm(rpm),
    trace,
  });
  const client = createClient(sim, scenario, settings, home, server);
  return { service, server, fleet, client, ledger, watch, records, groups, outputs, changed, results };
}

/** A person changes or removes the file of a row that feeds others, soon after it was done. */
function filesTouched({ random, scheduler }: Sim, { changesFiles }: Scenario, outputs: Disk, changed: Set<string>) {
  const chance = random.fork('files');
  return (row: string, { status, files }: RowRecord): void => {
    const [file] = files;
    if (status !== 'done' || file === undefined || changed.has(row) || !chance.chance(changesFiles)) return;
    const key = `${row.split('/', 1)[0]}/${file.file}`;
    scheduler.after(chance.between(0, 20_000), () => {
      changed.add(row);
      if (chance.chance(0.5)) outputs.remove(key);
      else outputs.write(key, Buffer.from('retouched'));
    });
  };
}

/** I5: a grant belongs to one job, however often it is told. */
function watchGrants(report: Report, trace: Report): (id: string, name: string, inputs: unknown[]) => void {
  const owners = new Map<number, string>();
  return (id, name, inputs) => {
    if (name !== 'granted') return;
    const { grant } = inputs[0] as { grant: number };
    const owner = owners.get(grant) ?? id;
    if (owners.has(grant)) trace('semaphore', `grant ${grant} is told again to ${id}`);
    if (owner !== id) report('I5', `grant ${grant} of ${owner} is given to ${id} as well`);
    owners.set(grant, owner);
  };
}

function storeFaultsOf(sim: Sim, scenario: Scenario): StoreFaults {
  const { faults } = scenario;
  const random = sim.random.fork('store');
  const draws = (likelihood: number): boolean => scenario.isTroubled(sim.scheduler.now()) && random.chance(likelihood);
  return {
    nextWrite: () => ({
      delayMs: random.between(0.2, 4),
      failure: draws(faults.writeFails) ? random.pick(['before', 'after']) : 'none',
    }),
    // Parts of rows are read into a memory that activities share: they come at once.
    readDelayMs: (key) => (!key.includes('/rows/') && draws(faults.readSlow) ? random.between(0.2, 30) : 0),
  };
}
