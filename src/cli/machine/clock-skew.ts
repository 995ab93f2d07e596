const DATE_MS = 5_000;
/** The header has whole seconds: on average it is half a second old. */
const HEADER_AGE_MS = 500;

/**
 * How far this machine's clock is ahead of the service's, ms, by the `Date` of any answer; undefined when there is
 * none. Sends no key, so that it is no request of the account.
 */
export async function clockSkewMs(baseUrl: string): Promise<number | undefined> {
  const startedAtMs = Date.now();
  const options = { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(DATE_MS) } as const;
  const answer = await fetch(`${baseUrl}/`, options).catch(() => undefined);
  const serviceMs = Date.parse(answer?.headers.get('date') ?? '');
  if (Number.isNaN(serviceMs)) return undefined;
  return (startedAtMs + Date.now()) / 2 - (serviceMs + HEADER_AGE_MS);
}
