// Data flows one way: no file imports, even through others or for a type alone, a file that imports it.
import { importsOf, type Source } from './sources.js';

/** Every circle of imports as `a -> b -> a`, by the first file of it that is met. */
export function importCircles(sources: Source[]): string[] {
  const imports = new Map(
    sources.map((source) => [
      source.path,
      importsOf(source)
        .filter(({ own }) => own)
        .map(({ target }) => target),
    ]),
  );
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) circles.push([...trail.slice(start), path].join(' -> '));
    if (start >= 0 || done.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return circles;
}
