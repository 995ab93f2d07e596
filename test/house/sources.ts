// The project's own files as the house rules see them: paths, text, syntax trees, imports.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Source {
  /** Relative to the root, with `/`. */
  path: string;
  text: string;
  tree: ts.SourceFile;
}

export interface Import {
  line: number;
  /** A package, `node:…`, or for the project's own files the path relative to the root. */
  target: string;
  own: boolean;
  /** Gone after compiling: `import type`, `export type`, or a type's `import('…')`. */
  typeOnly: boolean;
}

/** Every file that is committed or about to be. */
export function projectFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
  return list.split('\0').filter((path) => path !== '' && exists(path));
}

/** TypeScript and plain-Node sources in these folders. */
export function sourcesIn(...folders: string[]): Source[] {
  return projectFiles()
    .filter((path) => ['.ts', '.mts', '.mjs', '.js'].includes(extname(path)))
    .filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
    .map(readSource);
}

export function readSource(path: string): Source {
  return sourceOf(path, readText(path));
}

export function sourceOf(path: string, text: string): Source {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export function importsOf(source: Source): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const own = /^(\.|#scripts\/)/.test(specifier.text);
    found.push({
      line: lineOf(source, specifier),
      own,
      typeOnly,
      target: own ? resolveOwn(source, specifier.text) : specifier.text,
    });
  };
  walk(source.tree, (node) => {
    // `import { type A }` still loads the module at run time (verbatimModuleSyntax): only a whole `import type` is free.
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
  });
  return found;
}

export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

export function lineOf(source: Source, node: ts.Node): number {
  return source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree)).line + 1;
}

/** `./x.js` means the file `x.ts` beside it; `#scripts/x.mjs` is package.json's name for a shared script. */
function resolveOwn(source: Source, specifier: string): string {
  if (specifier.startsWith('#scripts/')) return specifier.replace('#scripts/', 'scripts/lib/');
  const target = normalize(join(dirname(source.path), specifier));
  return /^(src|workflows|activities|emulator|test|sim|bench)\//.test(target) ? target.replace(/\.js$/, '.ts') : target;
}

function exists(path: string): boolean {
  try {
    readFileSync(join(root, path));
    return true;
  } catch {
    return false;
  }
}
