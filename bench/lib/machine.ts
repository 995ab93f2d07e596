import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { findTemporalCli } from '../../scripts/lib/temporal-cli.mjs';

/** What figures depend on besides the code; nothing that names a machine or its owner. */
export interface Machine {
  cpus: number;
  cpuModel: string;
  memoryGb: number;
  platform: string;
  node: string;
  temporalServer: string;
}

export function describeMachine(): Machine {
  const temporal = findTemporalCli(process.env);
  return {
    cpus: availableParallelism(),
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    temporalServer: 'serverVersion' in temporal ? temporal.serverVersion : 'none',
  };
}

/** Processes that ran or waited to run, over the last minute: far above the number of cpus, figures mean little. */
export function loadAverage(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}
