/** The characters of a pattern, `*` standing for any. */
export function asPattern(route: string): RegExp {
  const parts = route.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
