import { filmManifest, imageManifest } from './manifests.js';
import type { StandOptions } from './stand.js';

/** Work of one kind for an account with these caps: what is rendered, how long it takes, how much the clock is pressed. */
export interface Scenario {
  name: string;
  work: 'images' | 'films';
  jobs: number;
  slots: number;
  /** Of service time, as a plan has it. */
  rpm: number;
  speed: number;
  /** Between these, each as likely, s of service time. */
  seconds: readonly [least: number, most: number];
}

const FAMILY = { images: 'svc/image', films: 'vendor-e' } as const;

export function standOf({ work, speed, seconds: [least, most], rpm, slots }: Scenario): StandOptions {
  return {
    emulator: { plan: 'enterprise', speed, renderSeconds: { [FAMILY[work]]: [least, most] }, balanceCredits: '100000' },
    // The service's own clock is the real one.
    limits: { rpm: rpm * speed, concurrent: slots },
  };
}

export function manifestOf({ work, jobs }: Scenario): string {
  return work === 'images' ? imageManifest(jobs) : filmManifest(jobs);
}

export function describeScenario({ work, jobs, slots, rpm, speed, seconds: [least, most] }: Scenario): string {
  const lasts = least === most ? `${least} s` : `${least} to ${most} s`;
  return `${jobs} ${work} of ${lasts}, ${slots} slots, ${rpm} requests per minute, speed ${speed}`;
}
