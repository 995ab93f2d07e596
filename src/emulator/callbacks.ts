/** Status updates that vendor-a posts to a `callback_url`; only loopback receivers are really called. */
import { request as httpRequest } from 'node:http';
import { isLoopbackUrl } from './input-media.js';
import type { Job } from './jobs.js';
import type { World } from './world.js';

const TIMEOUT_MS = 5000;

/** Posts one update, as often as a fault asks for (once without one), and keeps what the receiver answered. */
export function postUpdate(world: World, job: Job, body: unknown): void {
  const url = job.plan.callbackUrl;
  if (url === undefined || !isLoopbackUrl(url)) return;
  const times = job.faults.get('callbacks')?.times ?? 1;
  const { record } = job;
  const { state } = record;
  for (let count = 0; count < times; count += 1) {
    const atMs = world.clock.nowMs();
    void post(url, JSON.stringify(body)).then((status) => {
      record.callbacks = [...(record.callbacks ?? []), { atMs, state, status }];
    });
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
