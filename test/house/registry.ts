// The rule "vendor registry = folder": no family file that the registry forgot.
import { importsOf, readSource, sourcesIn } from './sources.js';

const folder = 'src/vendors/';
const index = `${folder}index.ts`;
const family = /^src\/vendors\/(svc-images|svc-clips|vendor-[a-z-]+)\.ts$/;

/** Files in the folder that cannot be reached from its index. */
export function unreachableVendorFiles(): string[] {
  const seen = new Set<string>();
  const queue = [index];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const one of importsOf(readSource(path))) if (one.own && one.target.startsWith(folder)) queue.push(one.target);
  }
  return sourcesIn('src/vendors')
    .map((source) => source.path)
    .filter((path) => !seen.has(path));
}

/** One family never imports another: what two share has a file of its own. */
export function familiesThatMeet(): string[] {
  return sourcesIn('src/vendors')
    .filter((source) => family.test(source.path))
    .flatMap((source) =>
      importsOf(source)
        .filter((one) => one.own && family.test(one.target))
        .map((one) => `${source.path}:${one.line} imports ${one.target}: vendors do not import each other`),
    );
}
