import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

const TIMEOUT_MS = 5_000;
/** The header has whole seconds: on average it is half a second old. */
const HEADER_AGE_MS = 500;

/**
 * How far this machine's clock is ahead of the service's, ms, by the `Date` of any answer; undefined when there is
 * none. Sends no key, so that it is no request of the account.
 */
export async function clockSkewMs(baseUrl: string): Promise<number | undefined> {
  const startedAtMs = Date.now();
  const date = await dateOf(baseUrl);
  const serviceMs = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serviceMs)) return undefined;
  return (startedAtMs + Date.now()) / 2 - (serviceMs + HEADER_AGE_MS);
}

function dateOf(baseUrl: string): Promise<string | undefined> {
  const send = baseUrl.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const request = send(`${baseUrl}/`, { method: 'HEAD', timeout: TIMEOUT_MS, agent: false }, (response) => {
      response.resume();
      resolve(response.headers.date);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
    request.end();
  });
}
