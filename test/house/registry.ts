// The rule "a family = one folder of src/kinds": nothing there that the registries forgot, and no family that knows another.
import { importsOf, readSource, sourcesIn } from './sources.js';

const folder = 'src/kinds/';
/** What speaks for each kind, and what a row of it may ask for. */
const registries = [`${folder}index.ts`, `${folder}rules.ts`];

/** Files in the folder that cannot be reached from a registry. */
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
    .filter((path) => !seen.has(path));
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

/** `src/kinds/vendor-d/wire.ts` → `vendor-d`; undefined for what the families share. */
function familyOf(path: string): string | undefined {
  return /^src\/kinds\/([^/]+)\//.exec(path)?.[1];
}
