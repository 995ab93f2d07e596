import type { Kind } from '../domain/kind.js';
import { COMMON_PROBLEMS, type ProblemCode } from '../domain/problem-code.js';
import type { Adapter, Family } from './adapter.js';
import { factsOf, KINDS, usualModel } from './facts.js';
import { GENERAL_ERRORS } from './readings.js';
import type { KindRules } from './rule.js';
import { svc } from './svc/wire.js';
import { vendorA } from './vendor-a/wire.js';
import { vendorB } from './vendor-b/wire.js';
import { vendorCAndG } from './vendor-c-and-g/wire.js';
import { vendorD } from './vendor-d/wire.js';
import { vendorE } from './vendor-e/wire.js';
import { vendorF } from './vendor-f/wire.js';

/** Every family, once: what a row may ask for, and how it is asked. What is constant of their kinds stands in facts.ts. */
export const FAMILIES: Family = { ...svc, ...vendorA, ...vendorB, ...vendorCAndG, ...vendorD, ...vendorE, ...vendorF };

const ADAPTERS: ReadonlyMap<Kind, Adapter> = new Map(KINDS.map((kind) => [kind, newAdapter(kind)]));

/** What a row of a kind may ask for. */
export function rulesOf(kind: Kind): KindRules {
  return partsOf(kind).rules;
}

/** What speaks for a kind. */
export function adapterFor(kind: Kind): Adapter {
  return ADAPTERS.get(kind) ?? newAdapter(kind);
}

/** What each problem code of a manifest means. */
export const PROBLEM_CODES: Readonly<Record<ProblemCode, string>> = Object.assign(
  { ...COMMON_PROBLEMS },
  ...KINDS.map((kind) => rulesOf(kind).problems),
);

function partsOf(kind: Kind): Family[string] {
  const parts = FAMILIES[kind];
  if (parts === undefined) throw new TypeError(`there is no kind ${kind}`);
  return parts;
}

/** Facts and wire of a kind as one; that they are of the same flow, a test says. */
function newAdapter(kind: Kind): Adapter {
  const { rules, wire } = partsOf(kind);
  const model = usualModel(kind);
  const isBytesOnly = (column: KindRules['columns'][number]) =>
    column.type === 'media' && column.media.inline === 'bytes-only';
  return {
    kind,
    bytesColumns: rules.columns.filter(isBytesOnly).map(({ name }) => name),
    errorForms: GENERAL_ERRORS,
    readRefusal: () => undefined,
    ...factsOf(kind),
    ...wire,
    submitRequest(row, media, options) {
      const isNamed = row.cells.model !== undefined || model === '';
      return wire.submitRequest(isNamed ? row : { ...row, cells: { ...row.cells, model } }, media, options);
    },
  } as Adapter;
}
