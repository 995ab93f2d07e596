// Where a draw's command runs: its folders, its service, what it may name.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Emulator } from '../../emulator/emulator.js';
import { type Ended, runBuilt } from './program.js';
import type { Names } from './values.js';

export const KEY = 'sk-svc-never-to-be-shown';
/** The emulator's speed and callsheet's time scale. */
export const SPEED = 100;

export interface Place {
  emulator: Emulator;
  /** The working folder of the command, where its manifest lies. */
  work: string;
  data: string;
  home: string;
  out: string;
  account: string;
  key: string;
  /** Whom the service bills for this key. */
  payer: string;
  names: Names;
}

/** Folders below one root, as every place has them. */
export function foldersBelow(root: string): Pick<Place, 'work' | 'data' | 'home' | 'out'> {
  return { work: join(root, 'work'), data: join(root, 'data'), home: join(root, 'home'), out: join(root, 'out') };
}

export interface RunOptions {
  stdin?: string;
  interruptAfterMs?: number;
}

/** Runs a command there. */
export function runAt(place: Place, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  mkdirSync(place.work, { recursive: true });
  const env = {
    XDG_CONFIG_HOME: join(place.work, 'user-settings'),
    NO_COLOR: '1',
    CALLSHEET_API_KEY: place.key,
    CALLSHEET_BASE_URL: place.emulator.url,
    CALLSHEET_TIME_SCALE: String(SPEED),
    CALLSHEET_DATA: place.data,
    CALLSHEET_HOME: place.home,
    CALLSHEET_OUT: place.out,
    CALLSHEET_ACCOUNT_NAME: place.account,
  };
  const { stdin = '', interruptAfterMs = 30_000 } = options;
  return runBuilt(args, { cwd: place.work, env, stdin, interruptAfterMs });
}

/** Requests that cost, until now: those alone are POSTs of the service. */
export function paidRequests({ emulator, payer }: Place): number {
  return emulator.truth().requests.filter(({ method, account }) => method === 'POST' && account === payer).length;
}
