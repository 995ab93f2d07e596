// The import table of the house: who may import whom, and which packages.
import { type Import, importsOf, type Source } from './sources.js';

const below = ['domain', 'kinds', 'contract', 'manifest', 'service', 'store', 'home', 'books', 'report'];
/** What the parts at the top have in common: connection and settings. */
const common = ['temporal', 'config'];

/** Part of the product (a folder at the root, or a folder or file directly in src) → the parts it may import besides itself. */
const mayImport: Record<string, string[]> = {
  domain: [],
  contract: ['domain'],
  kinds: ['domain'],
  media: ['domain', 'package-root'],
  manifest: ['domain', 'kinds', 'media'],
  service: ['domain'],
  store: ['domain', 'kinds', 'media'],
  home: ['domain', 'kinds', 'contract', 'manifest', 'service', 'store'],
  books: ['domain', 'kinds', 'contract', 'manifest', 'service', 'store', 'home'],
  // Where the package lies on the disk.
  'package-root': [],
  report: ['domain', 'manifest', 'store', 'home', 'package-root'],
  notices: ['domain', 'home', 'service'],
  workflows: ['domain', 'contract'],
  activities: below,
  callbacks: ['domain', 'contract', 'home', 'kinds'],
  emulator: [],
  temporal: ['domain', 'contract'],
  config: ['domain', 'kinds', 'contract'],
  worker: [...below, ...common, 'activities', 'callbacks', 'notices', 'package-root'],
  engine: ['domain', 'contract', 'temporal', 'package-root'],
  dashboard: [...below.filter((name) => name !== 'kinds'), ...common, 'package-root'],
  // The command line puts the parts together: it is the only one that may reach over.
  cli: [
    ...[
      ...below,
      ...common,
      'activities',
      'callbacks',
      'worker',
      'engine',
      'dashboard',
      'emulator',
      'notices',
      'package-root',
    ],
  ],
};

/** Imports that the table alone would not allow. */
const mayCross: { from: string; to: RegExp; typesOnly: boolean }[] = [
  // What is constant of a kind, pure and small.
  { from: 'workflows', to: /^src\/kinds\/facts\.ts$/, typesOnly: false },
  { from: 'dashboard', to: /^src\/kinds\/facts\.ts$/, typesOnly: false },
  { from: 'report', to: /^src\/kinds\/facts\.ts$/, typesOnly: false },
  // A workflow knows the types of its activities.
  { from: 'workflows', to: /^activities\//, typesOnly: true },
  // Supervisor and worker agree on their messages.
  { from: 'worker', to: /^src\/engine\/registration\.ts$/, typesOnly: false },
];

/** The core of the books: what it knows is handed to it. */
const PURE_BOOKS = /^src\/books\/(check|prices)\//;

interface PackageRule {
  why: string;
  packages: RegExp;
  /** True for the files that may import such a package. */
  allowed: (path: string) => boolean;
}

const packageRules: PackageRule[] = [
  only('the AWS SDK is imported by src/store/s3.ts alone', /^@aws-sdk\//, (path) => path === 'src/store/s3.ts'),
  only('undici is imported by src/service and the emulator alone', /^undici(\/|$)/, (path) =>
    /^(src\/service|emulator)\//.test(path),
  ),
  never('domain', 'domain is pure: no packages, no node:', /./),
  never('kinds', 'kinds do no I/O: zod is all they need', /^(?!zod$)/),
  never('books', 'the books know neither Temporal nor HTTP', /^(@temporalio\/|node:https?$|undici)/),
  {
    why: 'the credits check and the prices are pure arithmetic: zod is all they need',
    packages: /^(?!zod$)/,
    allowed: (path) => !PURE_BOOKS.test(path),
  },
  never('contract', 'contract names things: no I/O', /^(?!(zod|@temporalio\/(workflow|common))$)/),
  never(
    'workflows',
    'workflows run in a sandbox: @temporalio/workflow and common alone',
    /^(?!@temporalio\/(workflow|common)$)/,
  ),
  never('manifest', 'manifest knows neither Temporal nor HTTP', /^(@temporalio\/|node:https?$|undici)/),
  never('service', 'service makes one HTTP attempt: Temporal waits and repeats', /^@temporalio\//),
  never('store', 'store does not know Temporal', /^@temporalio\//),
  never('home', 'the home knows neither Temporal nor HTTP', /^(@temporalio\/|node:https?$|undici)/),
  never('report', 'a report is made of files alone', /^(@temporalio\/|node:https?$)/),
  never('emulator', 'the emulator does not know Temporal', /^@temporalio\//),
];

/** One sentence for each import that breaks the table. */
export function importViolations(sources: Source[]): string[] {
  return sources.flatMap((source) =>
    importsOf(source).flatMap((one) => {
      const reason = one.own
        ? (ownReason(source.path, one) ?? emulatorReason(source.path, one) ?? booksReason(source.path, one))
        : packageReason(source.path, one);
      return reason === undefined ? [] : [`${source.path}:${one.line} imports ${one.target}: ${reason}`];
    }),
  );
}

function ownReason(path: string, one: Import): string | undefined {
  const from = placeOf(path) ?? path;
  const to = placeOf(one.target);
  const allowed = mayImport[from];
  if (allowed === undefined) return `${from} has no place in the table (test/house/layers.ts)`;
  if (to === undefined) return sharedScript(from, one.target) ? undefined : 'sources import sources alone';
  if (from === to || allowed.includes(to)) return undefined;
  const crosses = mayCross.some(
    (edge) => edge.from === from && edge.to.test(one.target) && (one.typeOnly || !edge.typesOnly),
  );
  if (crosses) return undefined;
  return `${from} may import ${allowed.length === 0 ? 'nothing' : allowed.join(', ')}`;
}

/** Inside the emulator: what the service is and bills knows neither its endpoints nor what serves them but by type. */
function emulatorReason(path: string, one: Import): string | undefined {
  const isModel = /^emulator\/(model|media)\//.test(path);
  const reachesUp = /^emulator\/(http|families|service)\//.test(one.target) && !one.typeOnly;
  return isModel && reachesUp ? "the emulator's model knows neither endpoints nor the server" : undefined;
}

function booksReason(path: string, one: Import): string | undefined {
  if (!PURE_BOOKS.test(path) || /^src\/(domain|kinds)\//.test(one.target) || PURE_BOOKS.test(one.target))
    return undefined;
  return 'the credits check and the prices are pure: they know nouns and kinds alone';
}

function packageReason(path: string, one: Import): string | undefined {
  return packageRules.find((rule) => rule.packages.test(one.target) && !rule.allowed(path))?.why;
}

/** `src/domain/money.ts` → `domain`; `src/config.ts` and `src/config/schema.ts` → `config`; `workflows/job.ts` → `workflows`; elsewhere undefined. */
function placeOf(path: string): string | undefined {
  return /^(?:src\/)?([^/]+?)(\.ts)?(\/|$)/.exec(productPath(path) ?? '')?.[1];
}

/** Paths of the product; undefined for scripts, tests and the like. */
function productPath(path: string): string | undefined {
  return /^(src|workflows|activities|emulator)\//.test(path) ? path : undefined;
}

/** Set-up and product find the Temporal program and take locks by the same code. */
function sharedScript(from: string, target: string): boolean {
  return (from === 'engine' || from === 'worker') && /^scripts\/lib\/[a-z-]+\.mjs$/.test(target);
}

function only(why: string, packages: RegExp, allowed: (path: string) => boolean): PackageRule {
  return { why, packages, allowed };
}

function never(folder: string, why: string, packages: RegExp): PackageRule {
  return { why, packages, allowed: (path) => placeOf(path) !== folder };
}
