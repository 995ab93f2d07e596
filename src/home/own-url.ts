import type { Attempt, AttemptState } from '../domain/attempt.js';
import type { Kind } from '../domain/kind.js';
import type { Row } from '../domain/row.js';
import { intentOf } from '../domain/standing.js';
import { longestRenderMs, type RenderWaits } from '../kinds/expected.js';
import { factsOf } from '../kinds/facts.js';
import type { Ledger } from './ledger.js';

/** The URL that the service itself gave for an output, which a row that it feeds may name while it lives. */
export interface OwnUrl {
  url: string;
  /** The earliest time that its life can have begun, epoch ms. */
  atMs: number;
}

/** A row that was rendered, or that took over an earlier render: `reusedFrom` is that one's `batch/id`. */
interface Rendered {
  batch: string;
  id: string;
  reusedFrom?: string | undefined;
  /** When what it has was submitted; without it the newest counts. */
  submittedAtMs?: number | undefined;
}

/**
 * Of the attempt whose output the row has. A row that kept its file while another render needed a person has the time of
 * that one, which was given none: the newest that was. Undefined where there is none.
 */
export async function ownUrlOf(
  { read }: Pick<Ledger, 'read'>,
  { batch, id, reusedFrom, submittedAtMs }: Rendered,
): Promise<OwnUrl | undefined> {
  const from = reusedFrom ?? `${batch}/${id}`;
  const slash = from.indexOf('/');
  const attempts = (await read(from.slice(0, slash), from.slice(slash + 1))).reverse();
  const own = attempts.filter((attempt) => submittedAtMs === undefined || intentOf(attempt)?.atMs === submittedAtMs);
  return givenUrl(own) ?? (reusedFrom === undefined ? givenUrl(attempts) : undefined);
}

function givenUrl(attempts: readonly Attempt[]): OwnUrl | undefined {
  for (const { states } of attempts) {
    const claim = states.find(({ state }) => state === 'intent');
    const given = states.findLast((state) => state.state === 'rendered' || state.state === 'done');
    const url = given?.outputs[0]?.url;
    if (given === undefined || url === undefined || !/^https?:/i.test(url)) continue;
    const accepted = states.find(({ state }) => state === 'created' || state === 'attached');
    return { url, atMs: accepted === undefined || isGivenAnew(claim) ? given.atMs : accepted.atMs };
  }
  return undefined;
}

/** Each poll gives another URL, whose life begins then. */
function isGivenAnew(claim: AttemptState | undefined): boolean {
  const facts = claim?.state === 'intent' ? factsOf(claim.kind) : undefined;
  return facts?.flow === 'async' && facts.freshUrlOnPoll;
}

/** Whether such a URL, by the kind that it was given for, lives until the longest render of the fed row has ended. */
export function staysReadable(
  kind: Kind,
  { atMs }: Pick<OwnUrl, 'atMs'>,
  fed: Pick<Row, 'kind' | 'cells' | 'media'>,
  { nowMs, timeScale, waits }: { nowMs: number; timeScale: number; waits: RenderWaits },
): boolean {
  const ageMs = (nowMs - atMs) * timeScale;
  return ageMs + longestRenderMs(fed, waits).ms <= (factsOf(kind).ownUrlLifeMs ?? 0);
}
