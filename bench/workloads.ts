import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { measureCallsheet } from './lib/measure.js';
import { measurePeer, PEERS } from './lib/peers.js';
import { describeScenario, type Scenario } from './lib/scenario.js';

/**
 * What a job costs and how well the slots are used, by three kinds of work: synchronous calls, renders that are polled,
 * and a service without delay, where the processor is the limit. With `peers`, others do the same in the same run.
 */

const RPM_UNBOUND = 20_000;

const PEERS_ARE = "Temporal's samples on a server that is set as callsheet's own; both poll after 5, 10, 20 and 30 s";

const WORKLOADS: readonly Scenario[] = [
  { name: 'synchronous', work: 'images', jobs: 200, slots: 10, rpm: RPM_UNBOUND, speed: 1, seconds: [3, 3] },
  { name: 'polled', work: 'films', jobs: 150, slots: 10, rpm: RPM_UNBOUND / 10, speed: 10, seconds: [60, 60] },
  { name: 'no delay', work: 'images', jobs: 300, slots: 20, rpm: RPM_UNBOUND, speed: 1, seconds: [0.05, 0.05] },
];

export async function workloads({ runs, peers = false }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  for (const scenario of WORKLOADS) {
    for (let run = 1; run <= runs; run += 1) {
      say(`${scenario.name} ${run} of ${runs}`);
      measures.addAll(`${scenario.name}, callsheet`, await measureCallsheet(scenario));
      if (!peers) continue;
      for (const [peer, start] of Object.entries(PEERS)) {
        measures.addAll(`${scenario.name}, ${peer}`, await measurePeer(peer, start, scenario));
      }
    }
  }
  return {
    name: 'workloads',
    settings: {
      ...Object.fromEntries(WORKLOADS.map((one) => [one.name, describeScenario(one)])),
      server: 'embedded, SQLite file',
      ...(peers ? { peers: PEERS_ARE } : {}),
    },
    measures: measures.all(),
  };
}
