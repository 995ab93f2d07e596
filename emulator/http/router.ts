/** Finds the route of a method and path; knows which methods a path has, for 405. */
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
