// The rule "a family = one folder of src/kinds": nothing there that the registries forgot, and no family that knows another.
import ts from 'typescript';
import { isKind } from '../../src/kinds/facts.js';
import { importsOf, lineOf, readSource, sourcesIn, walk } from './sources.js';

const folder = 'src/kinds/';
/** What a row of each kind may ask for and how it is asked, and what is constant of it. */
const registries = [`${folder}index.ts`, `${folder}facts.ts`];

/** Files of a family that cannot be reached from a registry. */
export function unreachableKindFiles(): string[] {
  const seen = new Set<string>();
  const queue = [...registries];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const one of importsOf(readSource(path))) if (one.own && one.target.startsWith(folder)) queue.push(one.target);
  }
  return sourcesIn('src/kinds')
    .map((source) => source.path)
    .filter((path) => familyOf(path) !== undefined && !seen.has(path));
}

/** One family never imports another: what two share lies beside the families. */
export function familiesThatMeet(): string[] {
  return sourcesIn('src/kinds').flatMap((source) => {
    const own = familyOf(source.path);
    return importsOf(source)
      .filter(({ target }) => own !== undefined && (familyOf(target) ?? own) !== own)
      .map((one) => `${source.path}:${one.line} imports ${one.target}: families do not import each other`);
  });
}

/** Facts import facts, and what those are written with, alone. */
export function impureFacts(): string[] {
  const pure = /^src\/(domain\/|kinds\/(fact|facts|quantities|[^/]+\/facts)\.ts$)/;
  return sourcesIn('src/kinds')
    .filter(({ path }) => pure.test(path))
    .flatMap((source) => importsOf(source).filter(({ own, target }) => !own || !pure.test(target)))
    .map(({ target, line }) => `${line}: facts import ${target}`);
}

/** The submits of both share one pace. */
const mayNameKinds = ['workflows/paces.ts'];

/** What is true of one kind stands in its family's folder: nobody else asks for a kind by its name. */
export function kindsNamedElsewhere(): string[] {
  const found: string[] = [];
  for (const source of sourcesIn('src', 'workflows', 'activities')) {
    if (source.path.startsWith(folder) || mayNameKinds.includes(source.path)) continue;
    walk(source.tree, (node) => {
      if (!ts.isStringLiteralLike(node) || !isKind(node.text)) return;
      found.push(`${source.path}:${lineOf(source, node)} names ${node.text}: ask for the fact by src/kinds/facts.ts`);
    });
  }
  return found;
}

/** `src/kinds/vendor-d/wire.ts` → `vendor-d`; undefined for what the families share. */
function familyOf(path: string): string | undefined {
  return /^src\/kinds\/([^/]+)\//.exec(path)?.[1];
}
