// Rules about the shape of single files: length, functions, `any`, default exports, hosts and paths.
import ts from 'typescript';
import { lineOf, readText, type Source, walk } from './sources.js';

/** Files that are better whole than cut; each at most `longest` lines. */
const mayBeLonger: Record<string, string> = {
  'workflows/permits.ts': 'a pure state machine',
  'workflows/batch-state.ts': 'a pure state machine',
};
const usual = 200;
const longest = 260;
const functionLines = 60;

export function lengthViolations(sources: Source[]): string[] {
  return sources.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split('\n').length;
    const limit = path in mayBeLonger ? longest : usual;
    return lines > limit ? [`${path}:${limit + 1} a file has at most ${limit} lines, this one has ${lines}`] : [];
  });
}

/** An exception that is no longer needed goes away. */
export function needlessExceptions(sources: Source[]): string[] {
  return Object.keys(mayBeLonger).filter((path) => {
    const source = sources.find((one) => one.path === path);
    return source === undefined || source.text.trimEnd().split('\n').length <= usual;
  });
}

/** Lines of functions inside count for those: a factory is not long because its methods are many. */
export function functionViolations(sources: Source[]): string[] {
  return sources.flatMap((source) => {
    const found: string[] = [];
    walk(source.tree, (node) => {
      if (!isFunctionWithBody(node)) return;
      const lines =
        linesOf(source, node) - innerFunctions(node).reduce((sum, one) => sum + linesOf(source, one) - 1, 0);
      const where = `${source.path}:${lineOf(source, node)}`;
      if (lines > functionLines)
        found.push(`${where} a function has at most ${functionLines} lines, this one has ${lines}`);
    });
    return found;
  });
}

function isFunctionWithBody(node: ts.Node): boolean {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

function innerFunctions(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    found.push(...(isFunctionWithBody(child) ? [child] : innerFunctions(child)));
  });
  return found;
}

function linesOf(source: Source, node: ts.Node): number {
  return source.tree.getLineAndCharacterOfPosition(node.end).line + 2 - lineOf(source, node);
}

export function anyViolations(sources: Source[]): string[] {
  return sources.flatMap((source) => {
    const found: string[] = [];
    walk(source.tree, (node) => {
      if (node.kind === ts.SyntaxKind.AnyKeyword)
        found.push(`${source.path}:${lineOf(source, node)} no \`any\`: say the type, or unknown`);
    });
    return found;
  });
}

/** What is remembered of something belongs to whoever opened it: a map beside it is state that nobody sees. */
export function weakMapViolations(sources: Source[]): string[] {
  return sources.flatMap((source) => {
    const found: string[] = [];
    walk(source.tree, (node) => {
      if (ts.isIdentifier(node) && node.text === 'WeakMap')
        found.push(`${source.path}:${lineOf(source, node)} no WeakMap: what is opened keeps its own memory`);
    });
    return found;
  });
}

/** Once compiled, that of Node 20 refuses every host with a letter of Latin 1. */
export function urlGuessViolations(sources: Source[]): string[] {
  return sources.flatMap((source) => {
    const found: string[] = [];
    walk(source.tree, (node) => {
      if (ts.isPropertyAccessExpression(node) && node.getText(source.tree) === 'URL.canParse')
        found.push(`${source.path}:${lineOf(source, node)} use parseUrl`);
    });
    return found;
  });
}

/** The checkout may lie in a folder with a space in its name, which `pathname` would give as `%20`. */
export function escapedPathViolations(sources: Source[]): string[] {
  return sources.flatMap((source) => {
    const found: string[] = [];
    walk(source.tree, (node) => {
      if (ts.isPropertyAccessExpression(node) && /import\.meta\.url\)\.pathname$/.test(node.getText(source.tree)))
        found.push(`${source.path}:${lineOf(source, node)} use fileURLToPath`);
    });
    return found;
  });
}

/** The emulator's service is handed its time and draws from its seed: a simulation runs it on a clock of its own. */
export function ownTimeViolations(sources: Source[]): string[] {
  const own = /^(Date\.now|performance\.\w+|Math\.random|setTimeout|setInterval|setImmediate|randomUUID|randomBytes)$/;
  return sources
    .filter(({ path }) => /^emulator\/(model|families|faults|service)\//.test(path))
    .flatMap((source) => {
      const found: string[] = [];
      walk(source.tree, (node) => {
        const called =
          ts.isCallExpression(node) || ts.isNewExpression(node) ? node.expression.getText(source.tree) : '';
        const isNow = ts.isNewExpression(node) && called === 'Date' && (node.arguments?.length ?? 0) === 0;
        if (own.test(called) || isNow)
          found.push(`${source.path}:${lineOf(source, node)} the time and the seed are handed in`);
      });
      return found;
    });
}

/** Tools that read a config file ask for its default export. */
export function defaultExportViolations(sources: Source[]): string[] {
  return sources
    .filter(({ path }) => !/\.config\.[a-z]+$/.test(path))
    .flatMap((source) => {
      const found: string[] = [];
      walk(source.tree, (node) => {
        if (isDefaultExport(node)) found.push(`${source.path}:${lineOf(source, node)} named exports only`);
      });
      return found;
    });
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some((one) => one.kind === ts.SyntaxKind.DefaultKeyword) ?? false)
  );
}

/** Put together here so that this file does not hold what it looks for. */
const registryHosts = [
  ['registry', 'npmjs'],
  ['registry', 'yarnpkg'],
  ['proxy', 'golang'],
  ['sum', 'golang'],
  ['pypi', 'org'],
  ['files', 'pythonhosted'],
  ['static', 'crates'],
  ['repo1', 'maven'],
  ['deb', 'debian'],
].map((parts) => parts.join('.'));

const machinePath = /(?<![\w.~}$-])\/(work\/(main|shared)|root\/|home\/[a-z]+\/|Users\/[a-z]+\/|tmp\/tools)/;

/** Where a package comes from is the client's setting; where this machine keeps things is nobody's business. */
export function placeViolations(paths: string[]): string[] {
  return paths
    .filter((path) => !/\.(mp4|m4a|png|jpe?g|gif|webp|ico|woff2|pb|gz)$/.test(path))
    .flatMap((path) =>
      readText(path)
        .split('\n')
        .flatMap((line, index) => {
          const host = registryHosts.find((one) => line.includes(one));
          if (host !== undefined) return [`${path}:${index + 1} names the registry host ${host}`];
          const local = machinePath.exec(line)?.[0];
          return local === undefined ? [] : [`${path}:${index + 1} names a path of one machine, ${local}`];
        }),
    );
}
