/** Finds the route of a method and path; knows which methods a path has, for 405, and what a fault rule's `route` can name. */
import { asPattern } from '../faults/fault-engine.js';
import type { Route } from '../model/world.js';

export interface Found {
  route: Route;
  params: Record<string, string>;
}

export interface Router {
  find(method: string, path: string): Found | undefined;
  /** The methods of a path, empty where no route has it. */
  methods(path: string): string[];
  readonly routes: readonly Route[];
}

export function createRouter(routes: readonly Route[]): Router {
  const compiled = routes.map((route) => ({ route, expression: compile(route.pattern) }));
  return {
    routes,
    find(method, path) {
      for (const { route, expression } of compiled) {
        if (route.method !== method) continue;
        const groups = expression.exec(path)?.groups;
        const params = groups === undefined ? undefined : decodeAll(groups);
        if (params !== undefined) return { route, params };
      }
      return undefined;
    },
    methods: (path) => compiled.filter(({ expression }) => expression.test(path)).map(({ route }) => route.method),
  };
}

function compile(pattern: string): RegExp {
  const source = pattern
    .split(/(\{\w+\})/)
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      return name === undefined ? part.replace(/[.+?^$()|[\]\\]/g, '\\$&') : `(?<${name}>[^/]+?)`;
    })
    .join('');
  // A pattern without parts still needs `groups`, so that a match can be told from none.
  return new RegExp(`^(?<_>)${source}$`);
}

function decodeAll(groups: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

/** Names beside those of the routes themselves. */
const OTHER_NAMES = [
  'connection',
  'media',
  'unknown',
  ...['vendor-c', 'vendor-g'].flatMap((family) => [`${family}.submit`, `${family}.poll`, `${family}/video`]),
];

/**
 * Throws where no request can meet the route of a fault rule (a name or a path, with `*` for any characters), so that a
 * misspelt one is refused and not silently without effect.
 */
export function createRouteCheck({ routes, methods }: Router): (route: string) => void {
  const names = [...new Set([...routes.flatMap((route) => route.names), ...OTHER_NAMES])];
  const canMeet = (route: string): boolean => {
    if (!route.startsWith('/')) return names.some((name) => asPattern(route).test(name));
    if (route.startsWith('/media/')) return true;
    return route.includes('*') ? routes.some((known) => overlaps(route, known)) : methods(route).length > 0;
  };
  return (route) => {
    if (canMeet(route)) return;
    const hint = route.startsWith('/') ? 'no route has such a path' : `known: ${names.join(', ')}`;
    throw new Error(`unknown route '${route}'; ${hint}`);
  };
}

/** As far as the first `*` and the first `{…}` both are plain text, one must begin with the other. */
function overlaps(route: string, { pattern }: Route): boolean {
  const [asked = ''] = route.split('*');
  const [known = ''] = pattern.split('{');
  const isParted = known.length < pattern.length;
  return known.startsWith(asked) || (isParted && asked.startsWith(known));
}
