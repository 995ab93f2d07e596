import type { FaultRule } from '../../emulator/emulator.js';

const SYNC = 'svc.*';
const ASYNC = '*.submit';
const POLL = '*.poll';

/** What goes wrong at the service during the soak, each by chance from the double's seed; the wire's waits are short. */
export const FAULTS: readonly FaultRule[] = [
  ...lostAnswers(ASYNC),
  ...lostAnswers(SYNC),
  rule(ASYNC, 0.003, { do: 'refuse', code: 'bad_gateway', created: true }),
  rule(ASYNC, 0.003, { do: 'refuse', code: 'server_error', created: false }),
  rule(ASYNC, 0.002, { do: 'cut-body', at: 'inside-handle', end: 'reset' }),
  rule(ASYNC, 0.002, { do: 'cut-body', at: 'after-handle', end: 'fin' }),
  rule(ASYNC, 0.003, { do: 'create-late', serviceSeconds: 60, answer: 'reset' }),
  rule(ASYNC, 0.01, { do: 'end-job', as: 'failed', message: 'the render failed' }),
  rule(ASYNC, 0.004, { do: 'end-job', as: 'cancelled' }),
  rule(ASYNC, 0.01, { do: 'late-charge', serviceSeconds: 20 }),
  rule(ASYNC, 0.01, { do: 'refuse', code: 'rpm_limit_exceeded', retryAfter: 1 }),
  rule(SYNC, 0.01, { do: 'refuse', code: 'rpm_limit_exceeded' }),
  rule(SYNC, 0.01, { do: 'refuse', code: 'engine_timeout' }),
  rule('vendor-f.submit', 0.02, { do: 'refuse', code: 'vendor-f_unreachable' }),
  rule(POLL, 0.01, { do: 'refuse', code: 'server_error' }),
  rule(POLL, 0.005, { do: 'refuse', code: 'rpm_limit_exceeded', retryAfter: 1 }),
  rule(POLL, 0.005, { do: 'reset-before-answer' }),
  rule(POLL, 0.005, { do: 'reset-unread' }),
  rule(POLL, 0.005, { do: 'answer', status: 200, body: '<html>', contentType: 'text/html' }),
  rule(POLL, 0.005, { do: 'report-word', word: 'thinking' }),
  rule(POLL, 0.002, { do: 'without-url' }),
  rule('media', 0.03, { do: 'cut-body', at: 'half', end: 'reset' }),
  rule('media', 0.02, { do: 'reset-unread' }),
  rule('media', 0.02, { do: 'ignore-range' }),
  rule('media', 0.01, { do: 'answer', status: 503 }),
  rule('media', 0.01, { do: 'change-etag' }),
  rule('credits', 0.02, { do: 'refuse', code: 'server_error' }),
  rule('credits', 0.05, { do: 'show-old-balance', serviceSeconds: 60 }),
  rule('credits', 0.01, { do: 'reset-unread' }),
];

/** Submits whose answer does not tell whether there is a job: about one in fifty. */
function lostAnswers(route: string): FaultRule[] {
  return [
    rule(route, 0.003, { do: 'reset-before-answer', created: true }),
    rule(route, 0.002, { do: 'reset-before-answer', created: false }),
    rule(route, 0.002, { do: 'answer', status: 200, body: '<html>', contentType: 'text/html', created: true }),
    rule(route, 0.002, { do: 'answer', status: 408, created: false }),
    rule(route, 0.002, { do: 'close-unread' }),
    rule(route, 0.01, { do: 'stall', seconds: 2 }),
  ];
}

function rule(route: string, probability: number, action: FaultRule['action']): FaultRule {
  return { match: { route, probability }, action };
}
