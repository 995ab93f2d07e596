// `npm run house [-- --json]`: how large the house is, what is too small to stand alone, and who names each family.
import { posix } from 'node:path';
import { importsOf, projectFiles, readText, type Source, sourcesIn } from './sources.js';

/** A file under so many lines that one other imports belongs into it. */
const SMALL_LINES = 40;
const PARTS = ['src', 'workflows', 'activities', 'emulator', 'sim', 'bench', 'scripts', 'test'];
/** What a maintainer must know; the page of the dashboard is counted by itself. */
const PRODUCT = ['src', 'workflows', 'activities'];
const PAGE = 'src/dashboard/page/';

interface Part {
  part: string;
  files: number;
  lines: number;
}

interface Figures {
  parts: Part[];
  /** Files below `SMALL_LINES` with a single importer. */
  small: string[];
  /** Family → files outside its folder and the emulator that name one of its kinds in a string. */
  families: Record<string, string[]>;
}

function figures(): Figures {
  const files = projectFiles().filter((path) => /\.(ts|tsx|mts|mjs|js)$/.test(path));
  const product = sourcesIn(...PRODUCT).filter(({ path }) => !path.startsWith(PAGE));
  const inPart = (part: string): string[] => files.filter((path) => path.startsWith(`${part}/`));
  return {
    parts: [
      sizeOf(
        'to be known',
        product.map(({ path }) => path),
      ),
      sizeOf(
        'the page',
        files.filter((path) => path.startsWith(PAGE)),
      ),
      ...PARTS.map((part) => sizeOf(part, inPart(part))),
    ],
    small: smallFiles(product),
    families: Object.fromEntries(familiesOf(files).map((family) => [family, namersOf(family, product)])),
  };
}

function sizeOf(part: string, paths: string[]): Part {
  return { part, files: paths.length, lines: paths.reduce((sum, path) => sum + linesOf(readText(path)), 0) };
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

function smallFiles(product: Source[]): string[] {
  const importers = new Map<string, number>();
  for (const source of product) {
    for (const target of new Set(importsOf(source).flatMap(({ own, target }) => (own ? [target] : [])))) {
      importers.set(target, (importers.get(target) ?? 0) + 1);
    }
  }
  return product
    .filter(({ path, text }) => linesOf(text) < SMALL_LINES && importers.get(path) === 1)
    .map(({ path }) => path);
}

function familiesOf(files: string[]): string[] {
  const folders = files.flatMap((path) => /^src\/kinds\/([^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(folders)];
}

/** Comments do not count: what a string says is what the code goes by. */
function namersOf(family: string, product: Source[]): string[] {
  const provider = family.startsWith('svc') ? 'svc/' : family.replace(/-and-(\w)$/, '');
  const named = new RegExp(`['"\`]${provider.replace('/', '\\/')}`);
  return product
    .filter(({ path, text }) => posix.dirname(path) !== `src/kinds/${family}` && named.test(withoutComments(text)))
    .map(({ path }) => path);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '');
}

const found = figures();
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
else {
  for (const { part, files, lines } of found.parts) {
    process.stdout.write(`${part.padEnd(12)} ${String(files).padStart(5)} files ${String(lines).padStart(7)} lines\n`);
  }
  process.stdout.write(`${found.small.length} files under ${SMALL_LINES} lines have a single importer\n`);
  for (const [family, paths] of Object.entries(found.families)) {
    process.stdout.write(`${family}: named in ${paths.length} other files\n`);
    for (const path of paths) process.stdout.write(`  ${path}\n`);
  }
}
