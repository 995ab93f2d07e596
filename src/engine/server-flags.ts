/** How the embedded Temporal server is set, for the engine and for the tests alike (measured: docs/architecture.md). */

/** One durable hop takes 50 ms and timers fire up to a second late with the server's own values. */
const dynamicConfig: Record<string, string | number | boolean | string[]> = {
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxTimeShift': '50ms',
  // With more than one partition the requests per minute of a queue would be split between them.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'matching.useNewMatcher': true,
  // Beside gRPC the server opens an HTTP API without any check, which a web page could reach: no Host header can be this.
  'frontend.httpAllowedHosts': ['\n'],
};

/** As fast as in memory, and still whole after a loss of power. */
const sqlitePragmas = ['journal_mode=WAL', 'synchronous=FULL'];

export const dynamicConfigFlags: string[] = Object.entries(dynamicConfig).flatMap(([name, value]) => [
  '--dynamic-config-value',
  `${name}=${JSON.stringify(value)}`,
]);

export const sqliteFlags: string[] = sqlitePragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]);
