/** What a fault rule's `route` can name, so that a misspelt one is refused and not silently without effect. */
import { asPattern } from '../faults/route-pattern.js';
import type { Route } from '../model/world.js';
import type { Router } from './router.js';

/** Names beside those of the routes themselves. */
const OTHER_NAMES = [
  'connection',
  'media',
  'unknown',
  ...['vendor-c', 'vendor-g'].flatMap((family) => [`${family}.submit`, `${family}.poll`, `${family}/video`]),
];

/** Whether any request can meet the route of a rule: a name or a path, with `*` for any characters. */
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
