// When the demo kills its worker: never while the answer to a paid request could be lost with it.

/** For so long nothing changes at the service, ms: what it answered last is on record by then on a slow machine, too. */
const CALM_MS = 1_000;

/**
 * Looks at the service's jobs again and again; gives how many render once the moment has come, until then 0. It comes
 * when `submits` jobs were accepted, so that no other request is about to leave, when every synchronous call was
 * answered and every other job was polled, so that its handle is known, and some time after that.
 * @typedef {{ type: string, polls: number, terminalMs?: number }} Job
 * @param {number} submits
 * @returns {(jobs: readonly Job[], nowMs: number) => number}
 */
export function openMoment(submits) {
  let before = '';
  let sinceMs = 0;
  return (jobs, nowMs) => {
    const running = jobs.filter(({ terminalMs }) => terminalMs === undefined);
    const isOpen = jobs.length < submits || running.some(({ type, polls }) => type === 'call' || polls === 0);
    const seen = `${jobs.length} accepted, ${running.length} running${isOpen ? ', some unknown' : ''}`;
    if (seen !== before) sinceMs = nowMs;
    before = seen;
    return isOpen || nowMs - sinceMs < CALM_MS ? 0 : running.length;
  };
}
