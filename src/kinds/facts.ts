import { type Kind, type Provider, providerOf } from '../domain/kind.js';
import type { Row } from '../domain/row.js';
import { type Cells, type FamilyFacts, type KindFacts, POLL_BASE_MS } from './fact.js';
import { svcFacts } from './svc/facts.js';
import { vendorAFacts } from './vendor-a/facts.js';
import { vendorBFacts } from './vendor-b/facts.js';
import { vendorCAndGFacts } from './vendor-c-and-g/facts.js';
import { vendorDFacts } from './vendor-d/facts.js';
import { vendorEFacts } from './vendor-e/facts.js';
import { vendorFFacts } from './vendor-f/facts.js';

/**
 * The facts of every family, once. What a workflow may know of kinds is here: nothing below imports columns or wire.
 * A new family goes to the end: what an earlier build began may name a kind by its place.
 */
const FAMILIES: readonly FamilyFacts[] = [
  svcFacts,
  vendorAFacts,
  vendorBFacts,
  vendorCAndGFacts,
  vendorDFacts,
  vendorEFacts,
  vendorFFacts,
];

const FACTS = new Map(FAMILIES.flatMap((family) => Object.entries(family) as [Kind, KindFacts][]));

/** What a row can ask for. */
export const KINDS = [...FACTS.keys()] as [Kind, ...Kind[]];

export function isKind(text: string): text is Kind {
  return FACTS.has(text as Kind);
}

/** What is constant of a kind. Throws for a kind that nobody knows. */
export function factsOf(kind: Kind): KindFacts {
  const facts = FACTS.get(kind);
  if (facts === undefined) throw new TypeError(`there is no kind ${kind}`);
  return facts;
}

/** The row's cells, and what the service takes where one is empty. */
export function filledCells({ kind, cells }: Pick<Row, 'kind' | 'cells'>): Cells {
  const { fallbacks = {}, modelFallbacks = {} } = factsOf(kind);
  const { model = fallbacks.model } = cells;
  return { ...fallbacks, ...(typeof model === 'string' ? modelFallbacks[model] : {}), ...cells };
}

/** The model that the service takes when a row names none; empty where it must, or where there are none. */
export function usualModel(kind: Kind): string {
  const model = factsOf(kind).fallbacks?.model;
  return typeof model === 'string' ? model : '';
}

/** The model that a row's request selects; undefined where the row names none and the documents name no default. */
export function selectedModel({ kind, cells }: Pick<Row, 'kind' | 'cells'>): string | undefined {
  const { selects } = factsOf(kind);
  const model = selects === undefined ? filledCells({ kind, cells }).model : selects(cells);
  return typeof model === 'string' && model !== '' ? model : undefined;
}

/** Kinds that are submitted to one address share what happens to it. */
export function routeOf(kind: Kind): Kind {
  return factsOf(kind).route ?? kind;
}

/** A kind whose submit is answered with a handle that is polled; the others answer with their output. */
export function isAsync(kind: Kind): boolean {
  return factsOf(kind).flow === 'async';
}

/** A handle is answered within this, or never, where the documents name no other time. */
const HANDLE_MAX_MS = 300_000;

/** The longest wait for the answer to a submit, ms, unscaled; `syncMaxMs` is that of a synchronous call without a documented end. */
export function answerMaxMs(kind: Kind, { syncMaxMs }: { syncMaxMs: number }): number {
  const facts = factsOf(kind);
  return facts.answerMaxMs ?? (facts.flow === 'sync' ? syncMaxMs : HANDLE_MAX_MS);
}

/** So long, ms, may the body of an answer take that holds the output itself. */
export const BODY_MAX_MS = 1_800_000;

/** A kind that holds one of the plan's simultaneous jobs while it runs (service document 1, Limits). */
export function takesSlot(kind: Kind): boolean {
  const facts = factsOf(kind);
  return facts.flow === 'async' || !facts.takesNoSlot;
}

/** At most this many rows of the kinds without a slot are open at once: a bound of ours, the documents give none. */
export const OPEN_WITHOUT_SLOT_MAX = 4;

/** The longest documented render by provider, s; an hour where none is shown. */
export const RENDER_MAX_SECONDS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    [...FACTS].flatMap(([kind, facts]): [Provider, number][] =>
      facts.flow === 'async' && facts.renderMaxMs !== undefined ? [[providerOf(kind), facts.renderMaxMs / 1_000]] : [],
    ),
  ),
  default: 3_600,
};

/** Who posts status updates to a URL that a submit names. */
export const CALLBACK_PROVIDERS = [...new Set(KINDS.filter((kind) => takesCallback(kind)).map(providerOf))].join(', ');

/** The submit may name a URL for status updates. */
function takesCallback(kind: Kind): boolean {
  const facts = factsOf(kind);
  return facts.flow === 'async' && facts.takesCallback === true;
}

/** The shortest documented gap between polls, ms. */
export function pollBaseMs(kind: Kind): number {
  const facts = factsOf(kind);
  return facts.flow === 'async' ? facts.pollBaseMs : POLL_BASE_MS;
}
