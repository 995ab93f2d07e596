import type { Attempt, AttemptState } from '../../domain/attempt.js';
import type { Json } from '../../domain/json.js';
import { formatCredits } from '../../domain/money.js';
import { decisionText } from '../../home/earlier-render.js';
import { plain } from '../terminal.js';

const ANSWER_SHOWN = 1_000;

/** The ledger's states of an attempt, for people and as JSON. The claim's nonce is shown to nobody. Pure. */

export function stateLine(state: AttemptState): string {
  return `${new Date(state.atMs).toISOString()}  ${state.state.padEnd(12)}  ${plain(factsOf(state), 400)}`;
}

/** What an answer that could not be read began with. */
export function answerLines(state: AttemptState): string[] {
  const answer = 'evidence' in state ? state.evidence.answer : undefined;
  return answer === undefined ? [] : [`    its answer began: ${plain(answer, ANSWER_SHOWN)}`];
}

/** What proves whose a claim or a callback is. */
const HIDDEN = ['nonce', 'callbackToken'];

export function attemptJson({ n, states, torn }: Attempt): Json {
  return { n, torn, states: states.map(stateJson) };
}

function stateJson(state: AttemptState): Json {
  const { atMs, ...facts } = state;
  const shown = Object.fromEntries(Object.entries(facts).filter(([name]) => !HIDDEN.includes(name)));
  return { at: new Date(atMs).toISOString(), ...(shown as Record<string, Json>) };
}

function factsOf(state: AttemptState): string {
  switch (state.state) {
    case 'intent': {
      const { expected, balance, kind, rowHash } = state;
      const price = expected === null ? 'price unknown' : `price ${rangeText(expected.lo, expected.hi)}`;
      const known = balance ? `, balance ${formatCredits(balance.nano)}` : '';
      return `${kind}, ${price}${known}, row ${rowHash.slice(0, 12)}`;
    }
    case 'void':
      return state.why;
    case 'refused':
      return `${state.rule}: ${[state.status, state.code, state.message].filter(Boolean).join(' ')}`;
    case 'created':
      return `handle ${state.handle}${state.warning ? ` (${state.warning})` : ''}`;
    case 'attached':
      return `handle ${state.handle}: ${decisionText(state)}`;
    case 'ruled':
    case 'overridden':
      return decisionText(state);
    case 'created_lost':
    case 'unknown': {
      const { rule, status, code, phase, message, outputUrl } = state.evidence;
      const salvaged = state.state === 'created_lost' && state.salvagedHandle ? '; a handle was found in it' : '';
      return `${rule}: ${[phase, status, code, message, outputUrl].filter(Boolean).join(' ')}${salvaged}`;
    }
    case 'verdict':
      return `${state.verdict.replace('_', ' ')}: ${state.sentence}`;
    case 'done':
    case 'rendered':
      return `${state.outputs.length} output${state.outputs.length === 1 ? '' : 's'}`;
    case 'ended':
      return [state.word, state.code, state.message].filter(Boolean).join(': ');
  }
}

function rangeText(lo: number, hi: number | null): string {
  if (hi === null) return `${formatCredits(lo)} or more`;
  return lo === hi ? formatCredits(lo) : `${formatCredits(lo)} to ${formatCredits(hi)}`;
}
