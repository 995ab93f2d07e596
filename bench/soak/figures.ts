import type { Truth } from '../../emulator/emulator.js';
import { formatCredits } from '../../src/domain/money.js';
import type { Audit } from './audit.js';
import { FAULTS } from './faults.js';
import type { Lanes } from './lanes.js';
import type { Sample } from './samples.js';
import * as settings from './settings.js';

/** How a soak went: its real length, and what was done to it. */
export interface Course {
  minutes: number;
  seed: number;
  rows: number;
  kills: Readonly<Record<string, number>>;
  samples: readonly Sample[];
}

/** The largest figures of the first and the last quarter: what grows shows in the difference. */
export function addGrowth(add: (name: string, unit: string, value: number) => void, samples: readonly Sample[]): void {
  const quarter = Math.ceil(samples.length / 4);
  for (const [name, key, unit] of [
    ['open workflows', 'openWorkflows', ''],
    ['memory of the worker', 'workerMb', 'MB'],
    ['memory of the server', 'serverMb', 'MB'],
    ['database of the server', 'databaseMb', 'MB'],
  ] as const) {
    const most = (part: readonly Sample[]): number => Math.max(...part.flatMap((sample) => sample[key] ?? []));
    add(`${name}, most in the first quarter`, unit, most(samples.slice(0, quarter)));
    add(`${name}, most in the last quarter`, unit, most(samples.slice(-quarter)));
  }
}

export function settingsOf({ seed }: Course): Record<string, string | number> {
  return {
    seed,
    speed: settings.SPEED,
    ...settings.LIMITS,
    lanes: settings.LANES,
    'rows a batch': settings.ROWS_PER_BATCH,
    'kill every': settings.KILL_EVERY_S.join('-'),
    'top-up': `${settings.TOP_UP} every ${settings.TOP_UP_EVERY_S} s`,
    'longest render': `${settings.RENDER_MAX_S} service seconds`,
    'fail rate': settings.FAIL_RATE,
    'balance lag': `${settings.LAG_S} service seconds`,
    'fault rules': FAULTS.length,
  };
}

export function factsOf(audit: Audit, truth: Truth, lanes: Lanes, { kills }: Course): Record<string, string | number> {
  const applied = truth.faults.reduce((sum, fault) => sum + fault.applied, 0);
  return {
    killed: told(kills),
    'command lines ended with': told(lanes.exits),
    statuses: told(audit.statuses),
    reasons: told(audit.reasons),
    'faults applied': applied,
    requests: truth.requests.length,
    spent: formatCredits(audit.spentNano),
    'rows report': formatCredits(audit.reportedNano),
    unattributed: formatCredits(audit.unattributedNano),
    purchases: formatCredits(truth.account.sums.topUpNano),
    'what the service refused': told(truth.violationCounts),
  };
}

function told(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, n]) => `${name} ${n}`)
    .join('; ');
}
