/** Status updates that vendor-a posts to a `callback_url`; only loopback receivers are really called. */
import { request as httpRequest } from 'node:http';
import type { FaultActions } from '../faults/fault-actions.js';
import { isLoopbackUrl } from '../media/input-media.js';
import type { Job } from '../model/job.js';
import type { World } from '../model/world.js';

const TIMEOUT_MS = 20_000;
const OVERSIZE_BYTES = 10_000_000;

/** Posts one update, as often and as wrong as a fault asks for, and keeps what the receiver answered. */
export function postUpdate(world: World, job: Job, body: unknown): void {
  const { record, plan } = job;
  const { callbackUrl } = plan;
  if (callbackUrl === undefined || !isLoopbackUrl(callbackUrl)) return;
  const fault = job.faults.get('callbacks');
  const { state } = record;
  const text = JSON.stringify(body);
  job.firstUpdate ??= text;
  job.updatedMs = world.clock.nowMs();
  const { url, sent } = disturbed(fault?.forge, { url: callbackUrl, text, first: job.firstUpdate, job });
  const dueMs = world.clock.nowMs() + world.clock.serviceMs(fault?.serviceSeconds ?? 0);
  for (let count = 0; count < (fault?.times ?? 1); count += 1) {
    const go = (atMs: number): void => {
      void post(url, sent).then((status) => {
        record.callbacks = [...(record.callbacks ?? []), { atMs, state, status }];
      });
    };
    if (fault?.serviceSeconds === undefined) go(dueMs);
    else world.scheduler.at(dueMs, go);
  }
}

interface Update {
  url: string;
  text: string;
  first: string;
  job: Job;
}

function disturbed(
  forge: FaultActions['callbacks']['forge'],
  { url, text, first, job }: Update,
): { url: string; sent: string } {
  switch (forge) {
    case 'handle':
      return { url, sent: text.replaceAll(job.handle, `9${job.handle.slice(1)}`) };
    case 'token':
      return { url: url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A'), sent: text };
    case 'size':
      return { url, sent: JSON.stringify({ ...(JSON.parse(text) as object), padding: 'x'.repeat(OVERSIZE_BYTES) }) };
    case 'replay':
      return { url, sent: first };
    case undefined:
      return { url, sent: text };
  }
}

/** The receiver's status, or 0 where there was no answer; a lost update is not sent again. */
function post(url: string, text: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'user-agent': 'vendor-a-callback/1.0' };
    const request = httpRequest(url, { method: 'POST', headers, timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
    request.end(text);
  });
}
